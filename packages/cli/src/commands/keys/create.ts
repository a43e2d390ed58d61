import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { CliError, usageError } from '../../cli-error.ts'
import { credentialsFile } from '../../credentials.ts'
import { futureMoment } from '../../moment.ts'
import { type ClientOptions, newClientCommand, prose } from '../../new-command.ts'
import { openMuster } from '../../open-muster.ts'
import { printJson, say } from '../../output/print-one.ts'
import { assertProfileName, writeProfile } from '../../write-profile.ts'

interface Options extends ClientOptions {
  readOnly?: boolean
  requireDigest?: boolean
  expires?: string
  publicKey?: string
  save?: string
}

export function createCommand(): Command {
  return newClientCommand('create', 'create an access key')
    .description(
      prose(`Creates an access key and prints its id and secret: this once and never again. --save keeps them in a profile of the credentials
file instead, and prints no secret.`),
    )
    .argument('[name]', 'what it is for')
    .option('--read-only', 'it may ask, and change nothing')
    .option('--require-digest', 'requests must cover a digest of their body')
    .option('--expires <when>', 'when it stops working: a date, or a time from now such as 90d', futureMoment)
    .addOption(
      new Option('--public-key <file>', 'register an Ed25519 public key (PEM); then there is no secret').conflicts(
        'save',
      ),
    )
    .option('--save <profile>', 'keep it as this profile of the credentials file')
    .action(run)
}

async function run(
  name: string | undefined,
  { readOnly = false, requireDigest = false, expires, publicKey: keyFile, save, ...options }: Options,
): Promise<void> {
  if (save !== undefined) assertProfileName(save)
  const publicKey = keyFile === undefined ? undefined : await readPublicKey(keyFile)
  const muster = await openMuster(options, 4)
  const given = { name, expires, publicKey, readOnly, requireDigest }
  const { key, secret, accessKey } = await muster.mutations.createAccessKey(given)
  const file = save === undefined || secret === null ? undefined : await credentialsFile(options.credentials)
  if (file !== undefined && save !== undefined && secret !== null) {
    await keep(file, save, { MUSTER_URL: muster.url, MUSTER_ACCESS_KEY_ID: key, MUSTER_SECRET_ACCESS_KEY: secret })
  }
  if (options.json)
    return printJson(file === undefined ? { ...accessKey, secret } : { ...accessKey, profile: save, file })
  await say(`Key: ${key}`)
  if (file !== undefined) return say(`Kept as profile ${save} in ${file}`)
  if (secret === null) return
  await say(`Secret: ${secret}`)
  console.error('The secret is shown this once.')
}

/** The key is there already: where its secret cannot be kept, it must not be lost unsaid. */
async function keep(file: string, profile: string, values: Readonly<Record<string, string>>): Promise<void> {
  await writeProfile(file, profile, values).catch((error: Error) => {
    throw new CliError(`${values.MUSTER_ACCESS_KEY_ID} is created and its secret is lost: ${error.message}`, {
      hint: `Delete it: muster keys delete ${values.MUSTER_ACCESS_KEY_ID} --yes`,
    })
  })
}

const readPublicKey = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`the public key cannot be read: ${error.message}`)
  })
