import type { Command } from 'commander'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { type Column, chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Type {
  id: number
  name: string
  port: number | null
  protocol: string
  description: string
}

const known: readonly Column<Type>[] = [
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'port', value: ({ port }) => port },
  { name: 'protocol', value: ({ protocol }) => protocol },
  { name: 'description', value: ({ description }) => description },
]

export function buildCommand(): Command {
  return newListCommand('types', { limit: Number.POSITIVE_INFINITY }).action(run)
}

async function run(options: ListOptions): Promise<void> {
  const columns = chooseColumns(options.columns, { known, usual: known.map(({ name }) => name) })
  const muster = await openMuster(options, 4)
  const select = { id: true, name: true, port: true, protocol: true, description: true } as const
  const { applicationTypes } = await muster.select({ applicationTypes: select })
  await printList({ items: applicationTypes, columns, options, empty: 'No service types found.' })
}
