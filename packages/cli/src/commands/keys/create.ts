import type { Command } from 'commander'
import { credentialsFile } from '../../credentials/credentials.ts'
import { assertProfileName } from '../../credentials/write-profile.ts'
import { type AccessOptions, accessOf, withAccessOptions } from '../../keys/access-options.ts'
import { deliverNewKey, publicKeyOption } from '../../keys/deliver-new-key.ts'
import { futureMoment } from '../../options/moment.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { readNamedFile } from '../../options/read-named-file.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ClientOptions, AccessOptions {
  personal?: boolean
  readOnly?: boolean
  requireDigest?: boolean
  expires?: string
  publicKey?: string
  save?: string
}

export function buildCommand(): Command {
  const command = newClientCommand('create')
    .description(`Create an access key and print its ID and secret. The secret is shown only once. With --save, the
command saves the key in a profile of the credentials file instead of printing the secret.

An account key belongs to the account. A personal key (--personal) never allows more than your role, and the server
deletes it when your membership ends. Without --permissions, a new key has every permission that you have, except
MEMBER_MANAGE and ACCOUNT_MANAGE.

With --where or --view, the key can find and change only the matching devices. If you pass --where, --view, --read, or
--write without --permissions, the key also lacks the permissions that apply to the whole account, such as
WEBHOOK_MANAGE.`)
    .argument('[name]', 'purpose of the key')
    .option('--read-only', 'allow queries but no changes')
    .option('--require-digest', 'require signatures that cover a digest of the request body')
    .option('--expires <when>', 'expiry: a date, or a duration from now, such as 90d (default: never)', futureMoment)
    .addOption(publicKeyOption())
    .option('--save <profile>', 'save the access key in this profile of the credentials file')
    .option('--personal', 'create a personal key instead of an account key')
  return withAccessOptions(command, 'permissions of the key, such as DEVICE_READ,EVENT_READ')
    .option('--view <id>', 'restrict the key to the devices of the view with this ID')
    .option(
      '--context <name>',
      "context in which the filter and the view read attributes (default: the view's context)",
    )
    .action(run)
}

async function run(
  name: string | undefined,
  { readOnly = false, requireDigest = false, personal = false, expires, publicKey: keyFile, save, ...options }: Options,
): Promise<void> {
  if (save !== undefined) assertProfileName(save)
  const publicKey = keyFile === undefined ? undefined : await readNamedFile(keyFile, 'the public key')
  const muster = await openMuster(options, 4)
  const { networks, rateShare } = options
  const given = { name, expires, publicKey, readOnly, requireDigest, personal, networks, rateShare }
  const created = await muster.mutations.createAccessKey({ ...given, access: accessOf(options) })
  const place = save === undefined ? undefined : { profile: save, file: await credentialsFile(options.credentials) }
  const hint = `Delete the key: muster keys delete ${created.key} --yes`
  await deliverNewKey(muster, created, { json: options.json, place, hint })
}
