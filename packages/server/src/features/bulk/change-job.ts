import type { Context } from '../../context.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import { lockAccount } from '../users/users.ts'
import { assertMayRun } from './access/job-permissions.ts'
import { creatorSeenBy } from './access/visible-jobs.ts'
import { type BulkJob, countsOf, withExpiry } from './bulk-job.ts'
import { type BulkJobRow, lockJob, selectJobs } from './bulk-jobs.queries.ts'

export const wrongState = (job: BulkJob, message: string): ApiError =>
  new ApiError('CONFLICT', `the bulk job is ${job.state}: ${message}`, { job: job.id, counts: countsOf(job) })

export async function getJob({ db, viewer }: Context, id: string): Promise<BulkJobRow> {
  const [job] = id.includes('\0')
    ? []
    : await selectJobs(db, viewer.accountId, { ids: [id], creator: creatorSeenBy(viewer) })
  if (job === undefined) throw notFound('bulk job', id)
  assertMayRun(viewer, job)
  return job
}

/**
 * Locks the job and calls `change` in the same transaction. Throws NOT_FOUND if the viewer sees no job with this ID,
 * and FORBIDDEN if the viewer may not run it. If the change can increase the number of jobs that have not been
 * started, set `locksAccount`, which locks the account before the job.
 */
export async function changeJob<Changed extends BulkJob>(
  { db, viewer, clock }: Context,
  id: string,
  change: (db: Database, job: BulkJobRow) => Promise<Changed>,
  { locksAccount = false } = {},
): Promise<Changed> {
  if (id.includes('\0')) throw notFound('bulk job', id)
  return inTransaction(db, async (transaction) => {
    if (locksAccount) await lockAccount(transaction, viewer.accountId)
    const job = await lockJob(transaction, viewer.accountId, id, creatorSeenBy(viewer))
    if (job === undefined) throw notFound('bulk job', id)
    assertMayRun(viewer, job)
    return change(transaction, { ...job, ...withExpiry(job, clock()) })
  })
}
