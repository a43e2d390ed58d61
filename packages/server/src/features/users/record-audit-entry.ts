import type { AuditEntry } from '../../auth/sessions/audit/audit-entry.ts'
import type { Database } from '../../db/database.ts'
import { recordEvents } from '../events/record.ts'

/** Records an event about a user's sign-ins or sign-in methods. A failed sign-in has no actor, because it is unknown. */
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
