import type { AuditEntry } from '../../auth/sessions/audit/audit-entry.ts'
import type { SignIn } from '../../auth/sessions/auth-call.ts'
import type { Database } from '../../db/database.ts'
import { consoleSource } from '../events/event-source.ts'
import type { EventTypeName } from '../events/event-types.ts'
import { type NewEvent, recordEvents } from '../events/record.ts'
import { selectAccountsOf } from './people/people.queries.ts'

export type UserEventType = Extract<
  EventTypeName,
  | 'USER_ADD'
  | 'USER_DISABLE'
  | 'USER_ENABLE'
  | 'PASSWORD_CHANGE'
  | 'AUTHENTICATOR_REMOVE'
  | 'PASSKEY_REMOVE'
  | 'SESSION_REVOKE'
>

interface Person {
  id: string
  email: string
}

/** Records events in all accounts of the person. Call this function last in the transaction that makes the changes. */
export async function recordUserEvents(
  transaction: Database,
  person: Person,
  events: readonly { type: UserEventType; data?: Record<string, unknown> }[],
): Promise<void> {
  const rows = events.map(({ type, data = {} }) => ({ type, targets: targetsOf(person), data }))
  await recordInAccounts(transaction, person, { viewer: { isServer: true }, rows })
}

/** An event without a session, such as a failed sign-in, has no actor. */
export async function recordAuditEntry(
  db: Database,
  { type, personId, email, session, data }: AuditEntry,
): Promise<void> {
  const person = { id: personId, email }
  const viewer = session === undefined ? { isServer: true } : { personId, session }
  await recordInAccounts(db, person, { viewer, rows: [{ type, targets: targetsOf(person), data }] })
}

export async function recordSignIn(db: Database, { personId, email, address, agent, method }: SignIn): Promise<void> {
  const person = { id: personId, email }
  const data = { address, agent, method }
  const event = { type: 'AUTH_LOGIN' as const, targets: targetsOf(person), source: consoleSource, data }
  await recordInAccounts(db, person, { viewer: { personId }, rows: [event] })
}

const targetsOf = ({ id, email }: Person): NewEvent['targets'] => [{ id, name: email, kind: 'user' }]

async function recordInAccounts(
  db: Database,
  { id }: Person,
  { viewer, rows }: { viewer: { personId?: string; session?: string; isServer?: boolean }; rows: readonly NewEvent[] },
): Promise<void> {
  for (const account of await selectAccountsOf(db, id))
    await recordEvents(db, { viewer: { ...account, readOnly: false, ...viewer } }, rows)
}
