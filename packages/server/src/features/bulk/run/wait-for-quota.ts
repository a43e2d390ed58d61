import { type Database, inTransaction } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import { type JobPlace, takeJob, writeJob } from '../bulk-jobs.queries.ts'

/** The longest time, in seconds, until a job whose account has used up its storage quota tries again. */
const MAX_WAIT_SECONDS = 60

export const isOverQuota = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'RATE_LIMITED'

export async function waitForQuota(
  { db }: { db: Database },
  { accountId, id }: JobPlace,
  { message, details }: ApiError,
): Promise<'worked' | 'idle'> {
  const seconds = Math.min(MAX_WAIT_SECONDS, Number(details.retryAfter ?? MAX_WAIT_SECONDS))
  return inTransaction(db, async (transaction) => {
    const job = await takeJob(transaction, accountId, id)
    if (job?.state !== 'PREVIEWING' && job?.state !== 'RUNNING') return 'idle'
    await writeJob(transaction, accountId, id, { reason: `waiting: ${message}`, pauseMs: 1000 * seconds })
    return 'worked'
  })
}
