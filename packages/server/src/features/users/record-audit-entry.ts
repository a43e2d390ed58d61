import type { AuditEntry } from '../../auth/sessions/audit/audit-entry.ts'
import type { Database } from '../../db/database.ts'
import { recordEvents } from '../events/record.ts'

/** Records what happened to the ways a user signs in. A failed sign-in has no actor: no one knows who it was. */
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
