import type { Command } from 'commander'
import { toChanges } from '../../attributes/assignments.ts'
import { type ChangeOptions, splitTarget, withChangeOptions } from '../../attributes/change-options.ts'
import { usageError } from '../../cli-error.ts'
import { newClientCommand, prose } from '../../new-command.ts'

export function unsetCommand(): Command {
  const command = newClientCommand(
    'unset',
    'remove attributes from one thing, from many, or from all devices that match',
  )
    .description(
      prose(`Removes attributes; a group goes whole by its name. In a context the overrides go, so that the base shows again. What is not
there is no error. With --where, --all or --from there is no target among the arguments:

muster attributes unset gateway-1 site net.ssid

muster attributes unset --where site=oslo status`),
    )
    .argument('<target-and-names...>', 'what to change, unless it is many, then names …')
  return withChangeOptions(command).action(run)
}

async function run(given: string[], options: ChangeOptions): Promise<void> {
  const { meant, rest } = splitTarget(given, options)
  if (rest.length === 0)
    throw usageError('nothing is given to remove', 'Name the attributes, such as site or net.ssid.')
  const { changeAttributes } = await import('../../attributes/change.ts')
  await changeAttributes({ meant, changes: toChanges(rest.map((name) => [name, null])), options })
}
