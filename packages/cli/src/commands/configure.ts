import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { credentialsFile, homeCredentials, profilesIn, readTextIfReadable } from '../credentials/credentials.ts'
import { assertProfileName, writeProfile } from '../credentials/write-profile.ts'
import { usageError } from '../errors/cli-error.ts'
import { newCommand } from '../options/new-command.ts'
import { counted } from '../output/counted.ts'
import { printJson, say } from '../output/print-result.ts'
import { ask, askSecretly } from '../terminal/confirm.ts'

interface Options {
  json?: boolean
  credentials?: string
  profile?: string
  url?: string
  keyId?: string
  secretStdin?: boolean
  privateKey?: string
  check: boolean
  list?: boolean
}

export function buildCommand(): Command {
  return newCommand('configure')
    .description(`Save a server URL and an access key in a profile, which is a section of the credentials file. Only you
can read this file. The command prompts for values that you do not pass, and checks the access key with the server
before it saves the profile.`)
    .option('--profile <name>', 'profile name (default: MUSTER_PROFILE, else "default")')
    .option(
      '--credentials <file>',
      'credentials file (default: MUSTER_CREDENTIALS, else ~/.muster/credentials; with --list, the file that commands read)',
    )
    .option('--url <url>', 'server URL, such as https://muster.example.com')
    .option('--key-id <id>', 'access key ID')
    .option('--secret-stdin', 'read the secret from standard input, so other users cannot see it')
    .option('--private-key <file>', 'save the path of this Ed25519 private key (PEM) instead of a secret')
    .option('--no-check', 'save without checking the access key')
    .option('--list', 'list the profiles')
    .action(run)
}

async function run(options: Options): Promise<void> {
  const file = options.credentials ?? (process.env.MUSTER_CREDENTIALS || homeCredentials())
  if (options.list) return list(options)
  const profile = options.profile ?? (process.env.MUSTER_PROFILE || 'default')
  assertProfileName(profile)
  const url = options.url ?? (await askFor('Server URL: ', '--url'))
  const keyId = options.keyId ?? (await askFor('Access key ID: ', '--key-id'))
  const values: Record<string, string> =
    options.privateKey === undefined
      ? { MUSTER_SECRET_ACCESS_KEY: await readSecret(options) }
      : { MUSTER_PRIVATE_KEY_FILE: resolve(options.privateKey) }
  const stored: Record<string, string> = { MUSTER_URL: url, MUSTER_ACCESS_KEY_ID: keyId, ...values }
  const email = options.check ? await checkWithServer(stored) : undefined
  await writeProfile(file, profile, stored)
  if (options.json) await printJson({ file, profile, url, keyId, email })
  else
    await say(
      `${email === undefined ? 'Not checked' : `Authenticated as ${email}`}; saved as profile ${profile} in ${file}`,
    )
  await warnIfNotUsed(file, options)
}

async function checkWithServer(stored: Readonly<Record<string, string>>): Promise<string> {
  const { Muster, readCredentials, CredentialsError } = await import('@muster/client/node')
  try {
    // Pass the values as environment variables, because no file contains them yet.
    const { url, keyId, secret, privateKey } = await readCredentials({ env: stored })
    const { login } = await new Muster({ url, keyId, secret, privateKey, retries: 1 }).select({
      login: { email: true },
    })
    return login?.email ?? ''
  } catch (error) {
    if (error instanceof TypeError || error instanceof CredentialsError) throw usageError(error.message)
    throw error
  }
}

async function askFor(question: string, option: string): Promise<string> {
  if (!process.stdin.isTTY) throw usageError(`${option} is required if standard input is not a terminal`)
  const answer = await ask(question)
  if (answer === '') throw usageError('the answer must not be empty', `Enter a value, or pass ${option}.`)
  return answer
}

async function readSecret({ secretStdin }: Options): Promise<string> {
  if (!secretStdin && !process.stdin.isTTY) {
    throw usageError(
      'the secret is required if standard input is not a terminal',
      'Pass the secret on standard input with --secret-stdin, or pass --private-key.',
    )
  }
  const secret = (secretStdin ? await text(process.stdin) : await askSecretly('Secret: ')).trim()
  if (secret === '') throw usageError('the secret must not be empty')
  return secret
}

async function list({ credentials, json = false }: Options): Promise<void> {
  const file = await credentialsFile(credentials)
  const profiles = profilesIn((await readTextIfReadable(file)) ?? '')
  if (json) return printJson({ file, profiles })
  for (const profile of profiles) await say(profile)
  console.error(`${counted(profiles.length, 'profile')} in ${file}`)
}

/**
 * Without --credentials, prints a note if other commands in this folder would read another file. In a server's folder,
 * the server's credentials take precedence over those in the home directory.
 */
async function warnIfNotUsed(file: string, { credentials }: Options): Promise<void> {
  const used = await credentialsFile(undefined)
  if (credentials !== undefined || used === resolve(file)) return
  console.error(
    `note: commands in this folder read ${used} instead; to use the profile here, pass --credentials ${file} or set MUSTER_CREDENTIALS to that path`,
  )
}
