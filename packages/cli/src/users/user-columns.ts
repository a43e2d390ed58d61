import type { UserSummary } from '@muster/server/features/users/user-administration.ts'
import type { Column } from '../output/column.ts'
import { stateColor } from '../output/state-color.ts'

const timeOf = (time: Date | null): string | null => time?.toISOString() ?? null

const stateOf = ({ disabled }: UserSummary): string => (disabled === null ? 'enabled' : 'disabled')

export const userColumns: readonly Column<UserSummary>[] = [
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'email', value: ({ email }) => email, truncated: 'last' },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'state', value: stateOf, color: (user) => stateColor(stateOf(user)) },
  { name: 'disabled', value: ({ disabled }) => timeOf(disabled), time: true },
  { name: 'accounts', value: ({ accounts }) => accounts.map(({ email, role }) => `${email} (${role})`).join(', ') },
  { name: 'signIn', value: ({ signIn }) => signIn.join(', ') },
  { name: 'devices', value: ({ devices }) => devices },
  { name: 'accessKeys', value: ({ accessKeys }) => accessKeys },
  { name: 'sessions', value: ({ sessions }) => sessions },
  { name: 'created', value: ({ created }) => timeOf(created), time: true },
  { name: 'lastSignIn', value: ({ lastSignIn }) => timeOf(lastSignIn), time: true },
  { name: 'lastUsed', value: ({ lastUsed }) => timeOf(lastUsed), time: true },
]
