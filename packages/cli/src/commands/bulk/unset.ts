import type { Command } from 'commander'
import { toChanges, toInput } from '../../attributes/assignments.ts'
import { type AttributeOptions, withBulkOptions } from '../../bulk/bulk-options.ts'
import { changeAttributesInBulk } from '../../bulk/change-in-bulk.ts'
import { newClientCommand } from '../../options/new-command.ts'

export function buildCommand(): Command {
  const command = newClientCommand('unset')
    .description(`Remove attributes from many devices, or from their services, with a job on the server. To remove a
whole group, pass its name.

muster bulk unset status --where "site = oslo"`)
    .argument('<names...>', 'attribute names')
    .option(
      '--context <name>',
      'remove overrides in this context; --where and --view also read attributes in this context',
    )
    .option(
      '--services <filter>',
      'instead of the selected devices, change those of their services that match this filter',
    )
  return withBulkOptions(command).action(run)
}

async function run(names: string[], options: AttributeOptions): Promise<void> {
  const attributes = toInput(toChanges(names.map((name) => [name, null])))
  await changeAttributesInBulk(attributes, `Remove ${names.join(', ')}`, options)
}
