import type { SignIn } from '../../auth/sessions/auth-call.ts'
import type { Database } from '../../db/database.ts'
import { consoleSource } from '../events/event-source.ts'
import { recordEvents } from '../events/record.ts'

/** Records a sign-in to the console with its user, address, user agent, and method. */
export async function recordSignIn(db: Database, { accountId, email, address, agent, method }: SignIn): Promise<void> {
  const targets = [{ id: accountId, name: email, kind: 'user' as const }]
  const event = { type: 'AUTH_LOGIN' as const, targets, source: consoleSource, data: { address, agent, method } }
  await recordEvents(db, { viewer: { accountId, email, readOnly: false } }, [event])
}
