import type { Database } from '../../db/database.ts'
import { defineChore } from '../../jobs/job.ts'
import { limits } from '../../limits.ts'
import { deleteSomeItems } from './bulk-items.queries.ts'
import { expiryOf } from './bulk-job.ts'
import { closeExpired, deleteJob, expirePreview, findEndedJob, selectExpired } from './bulk-jobs.queries.ts'
import { deleteJobKey, selectOldKeys } from './bulk-secrets.queries.ts'

export const dropBulkJobsJob = defineChore('bulk.drop-jobs')

const DAY_MS = 86_400_000
const ITEMS_AT_ONCE = 5_000
const JOBS_AT_ONCE = 1_000

export async function dropBulkJobs(db: Database, now: Date): Promise<void> {
  await expirePreviews(db, expiryOf(now))
  await deleteOldKeys(db, expiryOf(now))
  const before = new Date(now.getTime() - limits.bulkDays * DAY_MS)
  for (let job = await findEndedJob(db, before); job !== undefined; job = await findEndedJob(db, before)) {
    await closeExpired(db, job)
    while ((await deleteSomeItems(db, { accountId: job.accountId, jobId: job.id }, ITEMS_AT_ONCE)) > 0);
    await deleteJob(db, job)
  }
}

async function deleteOldKeys(db: Database, before: Date): Promise<void> {
  for (;;) {
    const old = await selectOldKeys(db, before, JOBS_AT_ONCE)
    for (const job of old) await deleteJobKey(db, job)
    if (old.length < JOBS_AT_ONCE) return
  }
}

async function expirePreviews(db: Database, before: Date): Promise<void> {
  for (;;) {
    const expired = await selectExpired(db, before, JOBS_AT_ONCE)
    for (const job of expired) await expirePreview(db, job, { before })
    if (expired.length < JOBS_AT_ONCE) return
  }
}
