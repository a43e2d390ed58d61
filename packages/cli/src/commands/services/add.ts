import type { Command } from 'commander'
import { findDeviceId } from '../../devices/find-device.ts'
import { usageError } from '../../errors/cli-error.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { printJson, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'
import { readServices, serviceHelp } from '../../services/read-services.ts'

export function buildCommand(): Command {
  return newClientCommand('add')
    .argument('<device>', 'ID, hardware ID, or name')
    .argument(
      '<service>',
      'service in the form [!][name=]type[:host][:port] (! for disabled), such as ssh or web=http:8080',
    )
    .addHelpText('after', serviceHelp)
    .action(run)
}

async function run(nameOrId: string, entry: string, options: ClientOptions): Promise<void> {
  const muster = await openMuster(options, 4)
  const [service, more] = await readServices(muster, [entry])
  if (service === undefined || more !== undefined)
    throw usageError(`${JSON.stringify(entry)} is not a single service`, 'Pass one service, such as web=http:8080.')
  const added = await muster.mutations.addService({ deviceId: await findDeviceId(muster, nameOrId), ...service })
  if (options.json) return printJson(added)
  await say(`Added ${added.id}: ${added.name}, ${added.title}${added.port === null ? '' : ` on port ${added.port}`}`)
}
