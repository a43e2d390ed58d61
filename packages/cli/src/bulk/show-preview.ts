import type { Muster } from '@muster/client'
import type { Column } from '../output/column.ts'
import { layOut } from '../output/table-layout.ts'
import { describeChanges } from './describe-changes.ts'
import { type ItemRow, readItems } from './job-items.ts'

const SHOWN = 10

const columns: readonly Column<ItemRow>[] = [
  { name: 'device', value: ({ device }) => device.name || device.id, truncated: 'last' },
  { name: 'changes', value: ({ changes }) => describeChanges(changes) },
]

export async function showPreview(muster: Muster, id: string): Promise<void> {
  const page = await readItems(muster, id, { size: SHOWN, outcome: ['CHANGE', 'REGISTER'] })
  if (page === undefined || page.items.length === 0) return
  const table = layOut(columns, page.items, process.stderr.isTTY ? process.stderr.columns : undefined)
  const rest = page.hasMore ? [`To see more, run: muster bulk items ${id} --columns name,outcome,changes`] : []
  console.error([table.head(), ...page.items.map(table.row), ...rest].join('\n'))
}
