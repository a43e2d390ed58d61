import type { Database } from '../../../db/database.ts'
import type { AuthRequest } from '../auth-call.ts'
import { agentOf } from '../forward.ts'
import type { Session } from '../sessions.ts'
import type { AuditType } from './audit-entry.ts'

export interface Change<Result> {
  type: AuditType
  work: (transaction: Database) => Promise<Result>
  /**
   * Returns the entry's data other than the address and the user agent, or null to record no entry because nothing
   * changed. Default: no other data.
   */
  data?: (result: Result) => Record<string, unknown> | null
}

export async function recordChange<Result>(
  call: Pick<AuthRequest, 'db' | 'record' | 'onRecorded' | 'request' | 'addressOf'>,
  { personId, email, id: session }: Session,
  { type, work, data = () => ({}) }: Change<Result>,
): Promise<Result> {
  const { db, record, onRecorded, request, addressOf } = call
  const result = await db.transaction().execute(async (transaction) => {
    const done = await work(transaction)
    const details = data(done)
    if (details !== null) {
      const from = { address: addressOf(request.raw), agent: agentOf(request) }
      await record(transaction, { type, personId, email, session, data: { ...from, ...details } })
    }
    return done
  })
  onRecorded()
  return result
}
