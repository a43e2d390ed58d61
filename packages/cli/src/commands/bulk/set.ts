import type { Command } from 'commander'
import { readAssignment, toChanges, toInput } from '../../attributes/assignments.ts'
import { type AttributeOptions, withBulkOptions } from '../../bulk/bulk-options.ts'
import { changeAttributesInBulk, changeInBulk } from '../../bulk/change-in-bulk.ts'
import { usageError } from '../../errors/cli-error.ts'
import { newClientCommand } from '../../options/new-command.ts'

export function buildCommand(): Command {
  const command = newClientCommand('set')
    .description(`Set attributes of many devices, or of their services, with a job on the server. In a value, the server
replaces {name}, {id}, {hardwareId}, {platform}, and any attribute name in braces with the device's value.

muster bulk set site=oslo --where "name:gate"

muster bulk set --csv sites.csv`)
    .argument('[attributes...]', 'name=value …; optional with --csv')
    .option(
      '--context <name>',
      'set overrides in this context; --where and --view also read attributes in this context',
    )
    .option(
      '--services <filter>',
      'instead of the selected devices, change those of their services that match this filter',
    )
  return withBulkOptions(command).action(run)
}

async function run(given: string[], options: AttributeOptions): Promise<void> {
  if (given.length === 0) return changeRows(options)
  const attributes = toInput(toChanges(given.map(readAssignment)))
  await changeAttributesInBulk(attributes, `Set ${Object.keys(attributes).join(', ')}`, options)
}

async function changeRows({ services, ...options }: AttributeOptions): Promise<void> {
  if (options.csv === undefined)
    throw usageError('no attributes to set', 'Pass attributes as name=value, such as site=oslo, or pass --csv.')
  if (options.context !== undefined || services !== undefined)
    throw usageError(
      'a CSV file cannot set overrides or attributes of services',
      'Omit --context and --services, or pass the attributes as name=value.',
    )
  await changeInBulk([], 'Set the values from the file on', options)
}
