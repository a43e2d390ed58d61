import type { Command } from 'commander'
import { type BulkOptions, changeInBulk, withBulkOptions } from '../../bulk/change-in-bulk.ts'
import { newClientCommand, prose } from '../../options/new-command.ts'

export function buildCommand(): Command {
  const command = newClientCommand('remove-service')
    .description(
      prose(`Remove the services that match a filter from many devices with a job on the server. The filter never
matches the bulk service.

muster bulk remove-service "port = 23" --where "id:*"`),
    )
    .argument('<filter>', 'filter of services, such as "port = 23"')
    .option('--context <name>', 'context in which the device filter reads attributes')
  return withBulkOptions(command).action(run)
}

async function run(where: string, options: BulkOptions): Promise<void> {
  await changeInBulk([{ removeService: { where } }], 'Remove services of', options)
}
