import type { Command } from 'commander'
import { type AccessOptions, accessOf, withAccessOptions } from '../../keys/access-options.ts'
import { assertChanges, nullIfRemoved } from '../../options/changes.ts'
import { futureMoment } from '../../options/moment.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { printJson, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ClientOptions, Omit<AccessOptions, 'networks'> {
  name?: string | false
  networks?: string[] | false
  expires?: string
}

export function buildCommand(): Command {
  const command = newClientCommand('update')
    .description(`Change only the specified properties of an access key. You can remove permissions and attributes, set
an earlier expiry, and restrict the key to fewer devices, but not the reverse. To allow more, create another key. You
can also widen the networks and increase the rate share, but not beyond those of the key that the command uses.`)
    .argument('<key>', 'access key ID, as shown by "muster keys list"')
    .option('--name <name>', 'purpose of the key')
    .option('--no-name', 'remove the name')
    .option('--expires <when>', 'earlier expiry: a date, or a duration from now, such as 90d', futureMoment)
  return withAccessOptions(command, 'permissions that the key keeps, such as DEVICE_READ,EVENT_READ')
    .option('--no-networks', 'allow the key to be used from any address')
    .action(run)
}

async function run(given: string, { name, networks, expires, ...options }: Options): Promise<void> {
  const changes = {
    access: accessOf(options),
    rateShare: options.rateShare,
    name: nullIfRemoved(name),
    networks: nullIfRemoved(networks),
    expires,
  }
  assertChanges(changes)
  const muster = await openMuster(options, 4)
  const key = await muster.mutations.updateAccessKey({ key: given, ...changes })
  if (options.json) return printJson(key)
  await say(`Changed ${key.key}`)
}
