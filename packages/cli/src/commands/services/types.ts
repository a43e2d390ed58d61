import type { Selected } from '@muster/client'
import type { Column } from '../../output/column.ts'
import { newListAllCommand } from '../list-all-command.ts'

const fields = { id: true, name: true, port: true, protocol: true, description: true } as const

const columns: readonly Column<Selected<'ApplicationType', typeof fields>>[] = [
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'port', value: ({ port }) => port },
  { name: 'protocol', value: ({ protocol }) => protocol },
  { name: 'description', value: ({ description }) => description },
]

export const buildCommand = () =>
  newListAllCommand('types', {
    columns,
    usual: columns.map(({ name }) => name),
    read: async (muster) => (await muster.select({ applicationTypes: fields })).applicationTypes,
    empty: 'No service types found.',
  })
