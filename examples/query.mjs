// This program sends a signed GraphQL request to Muster with only Node 18 or newer, and prints the response:
//
//   node examples/query.mjs                          # the first devices
//   node examples/query.mjs '{ login { email } }'
//   node examples/query.mjs 'query ($n: Int) { login { devices(size: $n) { total } } }' '{"n": 5}'
//
// The program reads MUSTER_URL, MUSTER_ACCESS_KEY_ID, and MUSTER_SECRET_ACCESS_KEY from the environment. If one of them
// is not set, the program reads it from the section [default] of a file. If MUSTER_CREDENTIALS is set, it is the path
// of this file. Otherwise, the program uses $MUSTER_DATA/credentials (by default, data/credentials) or, if that file
// does not exist, ~/.muster/credentials. The program exits with 0 only if there is a response without errors.
import { createHash, createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const devices = '{ login { devices(size: 5) { total items { id name state } } } }'
const { env, argv } = process

if (argv.length > 4) fail("usage: node examples/query.mjs ['query' ['variables as JSON']]")
const [query = devices, variables = '{}'] = argv.slice(2)
const setting = readSettings()
const url = new URL(`${setting('MUSTER_URL').replace(/\/$/, '')}/graphql/v1`)
const body = JSON.stringify({ query, variables: JSON.parse(variables) })
const response = await fetch(url, { method: 'POST', headers: signedHeaders(url, body), body })
const result = await response.json()
console.log(JSON.stringify(result))
process.exitCode = result.errors === undefined ? 0 : 1

/**
 * Returns headers with a signature (RFC 9421, hmac-sha256). The signature covers the method, the host, the path, the
 * content type, and a digest of the body (RFC 9530).
 */
function signedHeaders(url, body) {
  const fields = {
    'content-type': 'application/json',
    'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:`,
  }
  const covered = Object.entries({ '@method': 'POST', '@authority': url.host, '@path': url.pathname, ...fields })
  const names = covered.map(([name]) => `"${name}"`).join(' ')
  const created = Math.floor(Date.now() / 1000)
  const parameters = `(${names});created=${created};keyid="${setting('MUSTER_ACCESS_KEY_ID')}";alg="hmac-sha256"`
  const lines = [...covered, ['@signature-params', parameters]].map(([name, value]) => `"${name}": ${value}`)
  const key = Buffer.from(setting('MUSTER_SECRET_ACCESS_KEY'), 'base64')
  const signature = createHmac('sha256', key).update(lines.join('\n')).digest('base64')
  return { ...fields, 'signature-input': `sig1=${parameters}`, signature: `sig1=:${signature}:` }
}

function readSettings() {
  const defaults = [join(env.MUSTER_DATA || 'data', 'credentials'), join(homedir(), '.muster', 'credentials')]
  const file = env.MUSTER_CREDENTIALS || defaults.find(existsSync) || defaults[1]
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const section = /^\s*\[default\][^\n]*\n((?:(?!\s*\[).*\n?)*)/m.exec(text)?.[1] ?? ''
  const inFile = Object.fromEntries(section.split('\n').map((line) => line.split(/=(.*)/).map((part) => part.trim())))
  const missing = (name) =>
    fail(`${name} is not set. Set it in the environment, or in the section [default] of the file ${file}.`)
  return (name) => env[name] || inFile[name] || missing(name)
}

function fail(message) {
  console.error(message)
  process.exit(2)
}
