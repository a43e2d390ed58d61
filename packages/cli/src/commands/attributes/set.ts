import type { Command } from 'commander'
import { type Changes, readAssignment, readFromFile, toChanges } from '../../attributes/assignments.ts'
import { type ChangeOptions, splitTarget, withChangeOptions } from '../../attributes/change-options.ts'
import { usageError } from '../../errors/cli-error.ts'
import { newClientCommand } from '../../options/new-command.ts'
import { collect } from '../../options/option-values.ts'

interface Options extends ChangeOptions {
  file?: string[]
}

export function buildCommand(): Command {
  const command = newClientCommand('set')
    .description(`Set attributes of one target or, with --where, --all, or --from, of many devices or services (a bulk
change). For a bulk change, omit the target.

muster attributes set gateway-1 site=oslo net.ssid=lab

muster attributes set --where site=oslo --where platform=linux status=checked`)
    .argument(
      '<target-and-attributes...>',
      'device, service ID, or "me" for your account (omit for a bulk change), then name=value …',
    )
    .option('--file <name=file>', "set an attribute to a file's content; repeatable", collect)
  return withChangeOptions(command).action(run)
}

async function run(given: string[], options: Options): Promise<void> {
  const { nameOrId, rest } = splitTarget(given, options)
  const changes = await readChanges(rest, options.file ?? [])
  const { changeAttributes } = await import('../../attributes/change-one-or-many.ts')
  await changeAttributes({ nameOrId, changes, options })
}

async function readChanges(assignments: readonly string[], files: readonly string[]): Promise<Changes> {
  const pairs = [...assignments.map(readAssignment), ...(await Promise.all(files.map(readFromFile)))]
  if (pairs.length === 0)
    throw usageError('no attributes to set', 'Pass attributes as name=value, such as site=oslo, or pass --file.')
  return toChanges(pairs)
}
