import type { Command } from 'commander'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { readKind, type ViewRow, viewColumns, viewFields } from '../../views/views.ts'

interface Options extends ListOptions {
  kind?: ReturnType<typeof readKind>
  label?: string
}

const usual = ['id', 'name', 'kind', 'where', 'sort']

export function buildCommand(): Command {
  return newListCommand('list', { limit: Number.POSITIVE_INFINITY })
    .option('--kind <kind>', 'list only views of this kind: devices, services, or events', readKind)
    .option('--label <label>', 'list only views with this label')
    .action(run)
}

async function run({ kind, label, ...options }: Options): Promise<void> {
  const columns = chooseColumns(options.columns, { known: viewColumns, usual })
  const muster = await openMuster(options, 4)
  const { login } = await muster.select({
    login: { views: { $: { kind: kind ?? null, label: label ?? null }, ...viewFields } },
  })
  const items: readonly ViewRow[] = login?.views ?? []
  await printList({ items, columns, options, empty: 'No views found.' })
}
