import { type Command, Option } from 'commander'
import { newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import {
  assertKnownOptions,
  printView,
  readKind,
  type ViewOptions,
  viewArguments,
  withViewOptions,
} from '../../views/views.ts'

interface Options extends ViewOptions {
  kind: ReturnType<typeof readKind>
}

export function buildCommand(): Command {
  const command = newClientCommand('create')
    .description(`Save a filter, a context, a sort order, and columns as a view. To use the view, pass --view to other
commands.

muster views create "Stale gateways" --where "name:gateway lastReported < -7d" --sort lastReported`)
    .argument('<name>', 'name of the view, unique in your account')
    .addOption(
      new Option('--kind <kind>', 'objects that the view lists: devices, services, or events')
        .argParser(readKind)
        .default('DEVICES', 'devices'),
    )
  return withViewOptions(command).action(run)
}

async function run(name: string, options: Options): Promise<void> {
  const muster = await openMuster(options, 4)
  await assertKnownOptions(muster, options)
  const { id } = await muster.mutations.createView({ name, kind: options.kind, ...viewArguments(options) })
  await printView(muster, id, options)
}
