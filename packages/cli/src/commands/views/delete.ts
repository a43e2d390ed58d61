import type { Command } from 'commander'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { confirm } from '../../terminal/confirm.ts'
import { findGivenView, findView } from '../../views/views.ts'
import { deleteEach } from '../delete-each.ts'

export function buildCommand(): Command {
  return newClientCommand('delete')
    .description('Delete saved views. To delete a view that a webhook, role, or access key uses, pass --replace-by.')
    .argument('<view...>', 'IDs or names')
    .option(
      '--replace-by <view>',
      'view (ID or name) of the same kind that replaces the deleted views wherever they are used',
    )
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

interface Options extends ClientOptions {
  yes?: boolean
  replaceBy?: string
}

async function run(views: string[], { yes, replaceBy, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 4)
  await confirm(`Delete ${views.length === 1 ? `the view ${views[0]}` : `${views.length} views`}`, { yes })
  const other = (await findGivenView(muster, replaceBy))?.id
  await deleteEach(views, {
    options,
    work: async (nameOrId) => {
      const { id } = await findView(muster, nameOrId)
      return muster.mutations.deleteView({ id, replaceBy: other })
    },
  })
}
