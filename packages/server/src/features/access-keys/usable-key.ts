import type { Database } from '../../db/database.ts'
import { hasUsableKey } from './access-keys.queries.ts'

/** Whether the account's access key exists, is enabled, and has not expired. Reads the database, not the cache. */
export function isAccessKeyUsable(
  { db, clock }: { db: Database; clock: () => Date },
  { accountId, accessKey }: { accountId: string; accessKey: string },
): Promise<boolean> {
  return hasUsableKey(db, accountId, { key: accessKey, now: clock() })
}
