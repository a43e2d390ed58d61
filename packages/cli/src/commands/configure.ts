import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { usageError } from '../cli-error.ts'
import { ask, askSecretly } from '../confirm.ts'
import { credentialsFile, homeCredentials, profilesIn, textOf } from '../credentials.ts'
import { newCommand, prose } from '../new-command.ts'
import { printJson, say } from '../output/print-one.ts'
import { assertProfileName, writeProfile } from '../write-profile.ts'

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

export function configureCommand(): Command {
  return newCommand('configure', 'keep the credentials of a server in a profile')
    .description(
      prose(`Keeps where a server is and who asks in a profile, a section of the credentials file, which only you may read. Asks for what is not
given, and asks the server whether the key holds before anything is kept.`),
    )
    .option('--profile <name>', 'which profile (default: MUSTER_PROFILE, else default)')
    .option('--credentials <file>', 'which file (default: MUSTER_CREDENTIALS, else ~/.muster/credentials)')
    .option('--url <url>', 'where the server is, such as https://muster.example.com')
    .option('--key-id <id>', 'id of the access key')
    .option('--secret-stdin', 'read the secret from standard input; arguments are for all to see')
    .option('--private-key <file>', 'Ed25519 key as PEM, for an access key registered by its public half')
    .option('--no-check', 'keep it without asking the server')
    .option('--list', 'list the profiles that there are')
    .action(run)
}

async function run(options: Options): Promise<void> {
  const file = options.credentials ?? (process.env.MUSTER_CREDENTIALS || homeCredentials())
  if (options.list) return list(options)
  const profile = options.profile ?? (process.env.MUSTER_PROFILE || 'default')
  assertProfileName(profile)
  const url = options.url ?? (await asked('Where is the server (URL)? ', '--url'))
  const keyId = options.keyId ?? (await asked('Id of the access key? ', '--key-id'))
  const values: Record<string, string> =
    options.privateKey === undefined
      ? { MUSTER_SECRET_ACCESS_KEY: await readSecret(options) }
      : { MUSTER_PRIVATE_KEY_FILE: resolve(options.privateKey) }
  const stored: Record<string, string> = { MUSTER_URL: url, MUSTER_ACCESS_KEY_ID: keyId, ...values }
  const email = options.check ? await askServer(stored) : undefined
  await writeProfile(file, profile, stored)
  if (options.json) return printJson({ file, profile, url, keyId, email })
  await say(`${email === undefined ? 'Not checked' : `You are ${email}`}; kept as profile ${profile} in ${file}`)
  await warnOfOthers(file, options)
}

/** Who the key belongs to; throws where the server does not take it. */
async function askServer(stored: Readonly<Record<string, string>>): Promise<string> {
  const { Muster, readCredentials, CredentialsError } = await import('@muster/client/node')
  try {
    // As if all of it came from the environment, which needs no file.
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

async function asked(question: string, option: string): Promise<string> {
  if (!process.stdin.isTTY) throw usageError(`${option} is missing, and nobody is here to be asked`)
  const answer = await ask(question)
  if (answer === '') throw usageError(`${option} is empty`)
  return answer
}

async function readSecret({ secretStdin }: Options): Promise<string> {
  if (!secretStdin && !process.stdin.isTTY) {
    throw usageError(
      'the secret is missing, and nobody is here to be asked',
      'Give it on standard input, with --secret-stdin.',
    )
  }
  const secret = (secretStdin ? await text(process.stdin) : await askSecretly('Secret? ')).trim()
  if (secret === '') throw usageError('the secret is empty')
  return secret
}

async function list({ credentials, json = false }: Options): Promise<void> {
  const file = await credentialsFile(credentials)
  const profiles = profilesIn((await textOf(file)) ?? '')
  if (json) return printJson({ file, profiles })
  for (const profile of profiles) await say(profile)
  console.error(`${profiles.length === 1 ? '1 profile' : `${profiles.length} profiles`} in ${file}`)
}

/** In the folder of a server, its own credentials come first. */
async function warnOfOthers(file: string, { credentials }: Options): Promise<void> {
  const taken = await credentialsFile(undefined)
  if (credentials === undefined && taken !== file) console.error(`note: in this folder commands take ${taken} instead`)
}
