import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig, unknownSettings } from './config.ts'

const root = new URL('../../../', import.meta.url).pathname
const pages = ['*.md', 'docs/**/*.md', 'packages/*/README.md']

test('knows every MUSTER_* variable that the docs mention, and reports others as unknown', async () => {
  const named = new Set<string>()
  for await (const page of glob(pages, { cwd: root })) {
    const text = await readFile(join(root, page), 'utf8')
    for (const [name] of text.matchAll(/\bMUSTER(?:_[A-Z]+)+\b/g)) named.add(name)
  }
  expect(named).toContain('MUSTER_DATA')
  const env = Object.fromEntries(Array.from(named, (name) => [name, 'set']))
  expect(unknownSettings({ ...env, MUSTER_LOGLEVEL: 'debug' })).toEqual(['MUSTER_LOGLEVEL'])
})

test.each([
  'http://login.example.com',
  'https://ada@login.example.com',
  'https://:secret@login.example.com',
  'https://login.example.com/?realm=main',
  'https://login.example.com/#main',
])('rejects the issuer %s, and describes a valid one', (issuer) => {
  expect(() => readConfig({ MUSTER_OIDC_ISSUER: issuer })).toThrow(
    /^MUSTER_OIDC_ISSUER must be an https URL, or an http URL with a loopback host, without a user name, password, query, or fragment, such as https:\S+$/,
  )
})

test.each(['https://login.example.com/realms/main', 'http://127.0.0.1:8080/'])('accepts the issuer %s', (issuer) => {
  expect(readConfig({ MUSTER_OIDC_ISSUER: issuer }).oidcIssuer).toBe(issuer)
})
