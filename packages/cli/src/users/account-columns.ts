import type { AccountSummary } from '@muster/server/features/users/account-administration.ts'
import type { Column } from '../output/column.ts'

export const accountColumns: readonly Column<AccountSummary>[] = [
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'email', value: ({ email }) => email, truncated: 'last' },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'disabled', value: ({ disabled }) => disabled?.toISOString() ?? null, time: true },
  { name: 'owners', value: ({ owners }) => owners.join(', ') },
  { name: 'members', value: ({ members }) => members },
  { name: 'devices', value: ({ devices }) => devices },
  { name: 'accessKeys', value: ({ accessKeys }) => accessKeys },
  { name: 'created', value: ({ created }) => created.toISOString(), time: true },
]
