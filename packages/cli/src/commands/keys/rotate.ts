import { type Command, Option } from 'commander'
import { credentialsFile, readCredentials } from '../../credentials/credentials.ts'
import { assertProfileName } from '../../credentials/write-profile.ts'
import { usageError } from '../../errors/cli-error.ts'
import { deliverNewKey, publicKeyOption } from '../../keys/deliver-new-key.ts'
import { spanUpTo } from '../../options/moment.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { readNamedFile } from '../../options/read-named-file.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ClientOptions {
  overlap: number
  publicKey?: string
  save?: string
}

export function buildCommand(): Command {
  return newClientCommand('rotate')
    .description(`Replace an access key with a new key that has the same access. During the overlap, both keys are
valid.

Without an argument, the command rotates the access key that it uses, and saves the new key in the same profile. For
another key, or if no credentials file was read, the command prints the new secret or, with --save, saves the new key in
a profile. The secret is shown only once.

With --public-key, the new key has no secret. To use it, run "muster configure" with its ID and private key.`)
    .argument('[key]', 'access key ID, as shown by "muster keys list" (default: the key that the command uses)')
    .addOption(
      new Option('--overlap <time>', 'how long the old key remains valid, from 0s to 30d')
        .argParser(spanUpTo(30))
        .default(86_400, '1d'),
    )
    .addOption(publicKeyOption())
    .option('--save <profile>', 'save the new key in this profile of the credentials file')
    .action(run)
}

async function run(
  given: string | undefined,
  { overlap, publicKey: keyFile, save, ...options }: Options,
): Promise<void> {
  if (save !== undefined) assertProfileName(save)
  const publicKey = keyFile === undefined ? undefined : await readNamedFile(keyFile, 'the public key')
  const muster = await openMuster(options, 4)
  const { me } = await muster.select({ me: { accessKey: { key: true } } })
  const own = me?.accessKey?.key
  const former = given ?? own
  if (former === undefined)
    throw usageError('cannot find the access key that this command uses: pass the ID of the key to rotate')
  const place = publicKey === undefined ? await placeOf(options, save, former === own) : undefined
  const rotated = await muster.mutations.rotateAccessKey({ key: former, overlap, publicKey })
  const hint = `Delete the new key: muster keys delete ${rotated.key} --yes\nThe old key cannot be rotated again. Before the overlap ends, create another key with "muster keys create".`
  await deliverNewKey(muster, rotated, { json: options.json, place, hint })
}

/** Returns where to save the new key, or undefined to print the key. */
async function placeOf(
  options: ClientOptions,
  save: string | undefined,
  isOwn: boolean,
): Promise<{ file: string; profile: string } | undefined> {
  if (save !== undefined) return { file: await credentialsFile(options.credentials), profile: save }
  if (!isOwn) return undefined
  const { file, profile } = await readCredentials(options)
  return file === undefined ? undefined : { file, profile }
}
