import type { Database } from '../../db/database.ts'
import { defineChore } from '../../jobs/job.ts'
import { deleteExpired, selectAccountsWithExpired } from './idempotency.queries.ts'

export const dropIdempotencyRecordsJob = defineChore('idempotency.drop-expired')

const BATCH = 5_000

export async function dropIdempotencyRecords(db: Database, now: Date): Promise<void> {
  for (const accountId of await selectAccountsWithExpired(db, now)) {
    while ((await deleteExpired(db, accountId, { now, size: BATCH })) === BATCH);
  }
}
