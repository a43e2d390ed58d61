import type { Command } from 'commander'
import { readAssignment, toChanges, toInput } from '../../attributes/assignments.ts'
import { type AttributeOptions, changeAttributesInBulk, withBulkOptions } from '../../bulk/change-in-bulk.ts'
import { newClientCommand, prose } from '../../options/new-command.ts'

export function buildCommand(): Command {
  const command = newClientCommand('set')
    .description(
      prose(`Set attributes of many devices with a job on the server. In a value, the server replaces {name},
{id}, {hardwareId}, and any attribute name in braces with the device's value.

muster bulk set site=oslo --where "name:gate"`),
    )
    .argument('<attributes...>', 'name=value …')
    .option('--context <name>', 'set overrides in this context; the filter also reads attributes in this context')
    .option('--services <filter>', 'change the services that match this filter, not the devices')
  return withBulkOptions(command).action(run)
}

async function run(given: string[], options: AttributeOptions): Promise<void> {
  const attributes = toInput(toChanges(given.map(readAssignment)))
  await changeAttributesInBulk(attributes, `Set ${Object.keys(attributes).join(', ')}`, options)
}
