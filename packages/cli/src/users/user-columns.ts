import type { UserSummary } from '@muster/server/features/users/user-administration.ts'
import type { Column } from '../output/column.ts'

const timeOf = (time: Date | null): string | null => time?.toISOString() ?? null

export const userColumns: readonly Column<UserSummary>[] = [
  { name: 'id', value: ({ id }) => id, whole: true },
  { name: 'email', value: ({ email }) => email, whole: true },
  { name: 'name', value: ({ name }) => name },
  { name: 'state', value: ({ disabled }) => (disabled === null ? 'enabled' : 'disabled') },
  { name: 'disabled', value: ({ disabled }) => timeOf(disabled), time: true },
  { name: 'devices', value: ({ devices }) => devices },
  { name: 'accessKeys', value: ({ accessKeys }) => accessKeys },
  { name: 'sessions', value: ({ sessions }) => sessions },
  { name: 'created', value: ({ created }) => timeOf(created), time: true },
  { name: 'lastUsed', value: ({ lastUsed }) => timeOf(lastUsed), time: true },
]
