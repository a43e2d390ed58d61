import type { Command } from 'commander'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { confirm } from '../../terminal/confirm.ts'
import { findView } from '../../views/views.ts'
import { deleteEach } from '../delete-each.ts'

export function buildCommand(): Command {
  return newClientCommand('delete')
    .description('Delete saved views.')
    .argument('<view...>', 'IDs or names')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(views: string[], { yes, ...options }: ClientOptions & { yes?: boolean }): Promise<void> {
  const muster = await openMuster(options, 4)
  await confirm(`Delete ${views.length === 1 ? `the view ${views[0]}` : `${views.length} views`}`, { yes })
  await deleteEach(views, {
    options,
    work: async (meant) => muster.mutations.deleteView({ id: (await findView(muster, meant)).id }),
  })
}
