import type { Command } from 'commander'
import { type BulkOptions, withBulkOptions } from '../../bulk/bulk-options.ts'
import { changeInBulk } from '../../bulk/change-in-bulk.ts'
import { usageError } from '../../errors/cli-error.ts'
import { newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { readServices, serviceHelp } from '../../services/read-services.ts'

export function buildCommand(): Command {
  const command = newClientCommand('add-service')
    .description(`Add a service to many devices with a job on the server.

muster bulk add-service web=https:8443 --where "platform = linux"`)
    .argument(
      '<service>',
      'service in the form [!][name=]type[:host][:port] (! for disabled), such as ssh or web=http:8080',
    )
    .option('--context <name>', 'context in which --where and --view read attributes (default: the context of --view)')
    .addHelpText('after', serviceHelp)
  return withBulkOptions(command).action(run)
}

async function run(entry: string, options: BulkOptions): Promise<void> {
  const [service, more] = await readServices(await openMuster(options, 4), [entry])
  if (service === undefined || more !== undefined)
    throw usageError(`${JSON.stringify(entry)} is not a single service`, 'Pass one service, such as web=http:8080.')
  await changeInBulk([{ addService: service }], `Add ${service.name} to`, options)
}
