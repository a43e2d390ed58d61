import type { Database } from '../../db/database.ts'
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

/** Records an operator's change to users in their own event logs. Call it last in the transaction that makes the change. */
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
