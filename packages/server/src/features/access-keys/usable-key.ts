import type { Database } from '../../db/database.ts'
import { hasUsableKey } from './access-keys.queries.ts'

/** Whether the account's access key works now: it is there, enabled and has not expired. Asks the database, not memory. */
export function isAccessKeyUsable(
  { db, clock }: { db: Database; clock: () => Date },
  { accountId, accessKey }: { accountId: string; accessKey: string },
): Promise<boolean> {
  return hasUsableKey(db, accountId, { key: accessKey, now: clock() })
}
