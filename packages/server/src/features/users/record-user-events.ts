import type { AuditEntry } from '../../auth/sessions/audit/audit-entry.ts'
import type { SignIn } from '../../auth/sessions/auth-call.ts'
import type { Database } from '../../db/database.ts'
import { consoleSource } from '../events/event-source.ts'
import type { EventTypeName } from '../events/event-types.ts'
import { recordEvents } from '../events/record.ts'

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

/**
 * Records an operator's changes to a user in the user's event log. Call this function last in the transaction of the changes.
 */
export async function recordUserEvents(
  transaction: Database,
  user: { id: string; email: string },
  events: readonly { type: UserEventType; data?: Record<string, unknown> }[],
): Promise<void> {
  const targets = [{ id: user.id, name: user.email, kind: 'user' as const }]
  const viewer = { accountId: user.id, email: user.email, readOnly: false, isServer: true }
  const rows = events.map(({ type, data = {} }) => ({ type, targets, data }))
  await recordEvents(transaction, { viewer }, rows)
}

/** Records an event about a user's sign-ins or sign-in methods. A failed sign-in has no actor, because the actor is unknown. */
export async function recordAuditEntry(
  db: Database,
  { type, accountId, email, session, data }: AuditEntry,
): Promise<void> {
  const targets = [{ id: accountId, name: email, kind: 'user' as const }]
  const viewer = {
    accountId,
    email,
    readOnly: false,
    ...(session === undefined ? { isServer: true } : { session }),
  }
  await recordEvents(db, { viewer }, [{ type, targets, data }])
}

/** Records a console sign-in with its user, address, user agent, and method. */
export async function recordSignIn(db: Database, { accountId, email, address, agent, method }: SignIn): Promise<void> {
  const targets = [{ id: accountId, name: email, kind: 'user' as const }]
  const event = { type: 'AUTH_LOGIN' as const, targets, source: consoleSource, data: { address, agent, method } }
  await recordEvents(db, { viewer: { accountId, email, readOnly: false } }, [event])
}
