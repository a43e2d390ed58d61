import type { Command } from 'commander'
import { assertChanges } from '../../options/changes.ts'
import { newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import {
  assertKnownOptions,
  findView,
  printView,
  type ViewOptions,
  viewArguments,
  withViewOptions,
} from '../../views/views.ts'

interface Options extends ViewOptions {
  name?: string
}

export function buildCommand(): Command {
  const command = newClientCommand('update')
    .description('Change only the specified properties of a view. An empty value removes a property, as in --where "".')
    .argument('<view>', 'ID or name')
    .option('--name <name>', 'new name')
  return withViewOptions(command).action(run)
}

async function run(nameOrId: string, { name, ...options }: Options): Promise<void> {
  const changes = { name, ...viewArguments(options) }
  assertChanges(changes)
  const muster = await openMuster(options, 4)
  const { id, version, kind } = await findView(muster, nameOrId)
  await assertKnownOptions(muster, { ...options, kind })
  await muster.mutations.updateView({ id, version, ...changes })
  await printView(muster, id, options)
}
