import type { ListOptions } from '../../options/new-command.ts'
import { readKind, type ViewRow, viewColumns, viewFields } from '../../views/views.ts'
import { newListAllCommand } from '../list-all-command.ts'

interface Options extends ListOptions {
  kind?: ReturnType<typeof readKind>
  label?: string
}

export const buildCommand = () =>
  newListAllCommand<ViewRow, Options>('list', {
    columns: viewColumns,
    usual: ['id', 'name', 'kind', 'where', 'sort'],
    read: async (muster, { kind, label }) =>
      (await muster.select({ login: { views: { $: { kind, label }, ...viewFields } } })).login?.views ?? [],
    empty: 'No views found.',
  })
    .option('--kind <kind>', 'list only views of this kind: devices, services, or events', readKind)
    .option('--label <label>', 'list only views with this label')
