import type { Command } from 'commander'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { printJson, printOne } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'
import { findView, viewColumns } from '../../views/views.ts'

export function buildCommand(): Command {
  return newClientCommand('show')
    .description('Show a saved view, and the webhooks, access keys, and roles that use it.')
    .argument('<view>', 'ID or name')
    .action(run)
}

async function run(nameOrId: string, options: ClientOptions): Promise<void> {
  const muster = await openMuster(options, 4)
  const view = await findView(muster, nameOrId)
  const users = { usedBy: { id: true, name: true, kind: true } } as const
  const { login } = await muster.select({ login: { views: { $: { id: [view.id] }, ...users } } })
  const usedBy = login?.views[0]?.usedBy ?? []
  if (options.json) return printJson({ ...view, usedBy })
  const names = usedBy.map(({ kind, name }) => `${kind} ${name}`).join(', ')
  await printOne(view, [...viewColumns, { name: 'usedBy', value: () => names || null }])
}
