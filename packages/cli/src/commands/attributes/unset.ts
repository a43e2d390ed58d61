import type { Command } from 'commander'
import { toChanges } from '../../attributes/assignments.ts'
import { type ChangeOptions, splitTarget, withChangeOptions } from '../../attributes/change-options.ts'
import { usageError } from '../../errors/cli-error.ts'
import { newClientCommand } from '../../options/new-command.ts'

export function buildCommand(): Command {
  const command = newClientCommand('unset')
    .description(`Remove attributes from one target or, with --where, --all, or --from, from many devices or services (a
bulk change). For a bulk change, omit the target. To remove a whole group, pass its name. With --context, the command
removes overrides, so the base values apply again. Attributes that are not set are ignored.

muster attributes unset gateway-1 site net.ssid

muster attributes unset --where site=oslo status`)
    .argument(
      '<target-and-names...>',
      'device, service ID, or "me" for your account (omit for a bulk change), then names …',
    )
  return withChangeOptions(command).action(run)
}

async function run(given: string[], options: ChangeOptions): Promise<void> {
  const { nameOrId, rest } = splitTarget(given, options)
  if (rest.length === 0) throw usageError('no attributes to remove', 'Pass attribute names, such as site or net.ssid.')
  const { changeAttributes } = await import('../../attributes/change-one-or-many.ts')
  await changeAttributes({ nameOrId, changes: toChanges(rest.map((name) => [name, null])), options })
}
