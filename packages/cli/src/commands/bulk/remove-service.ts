import type { Command } from 'commander'
import { type BulkOptions, withBulkOptions } from '../../bulk/bulk-options.ts'
import { changeInBulk } from '../../bulk/change-in-bulk.ts'
import { newClientCommand } from '../../options/new-command.ts'

export function buildCommand(): Command {
  const command = newClientCommand('remove-service')
    .description(`Remove matching services from many devices with a job on the server. The filter never matches a
device's bulk service, which represents the device itself.

muster bulk remove-service "port = 23" --where "id:*"`)
    .argument('<filter>', 'filter for the services to remove, such as "port = 23"')
    .option('--context <name>', 'context in which --where and --view read attributes (default: the context of --view)')
  return withBulkOptions(command).action(run)
}

async function run(where: string, options: BulkOptions): Promise<void> {
  await changeInBulk([{ removeService: { where } }], 'Remove services of', options)
}
