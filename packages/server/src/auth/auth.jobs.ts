import type { Database } from '../db/database.ts'
import { defineChore } from '../jobs/job.ts'
import { deleteOldUse, selectAccountsWithOldUse } from './key-use-counter.queries.ts'

export const dropNoncesJob = defineChore('auth.drop-nonces')
export const dropSignInsJob = defineChore('auth.drop-sign-ins')
export const dropKeyUseJob = defineChore('auth.drop-key-use')

/** How long the server keeps usage counts of access keys, in days. */
export const KEY_USE_DAYS = 400

export async function dropKeyUse(db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - (KEY_USE_DAYS + 1) * 86_400_000)
  for (const accountId of await selectAccountsWithOldUse(db, before)) await deleteOldUse(db, accountId, before)
}
