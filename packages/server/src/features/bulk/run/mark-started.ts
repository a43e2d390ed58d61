import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import type { Viewer } from '../../../viewer.ts'
import type { EventSource } from '../../events/event-types.ts'
import { recordEvents } from '../../events/record.ts'
import { type BulkJob, expiryOf, pendingOf, type Starter } from '../bulk-job.ts'
import { type BulkJobRow, findUndoInProgress, lockJob, writeJob } from '../bulk-jobs.queries.ts'
import { finishEvent, startEvents } from './job-events.ts'

/**
 * Starts the job. A job without devices to change ends immediately. Throws CONFLICT if the job is an undo and another
 * undo of the same job has not ended.
 */
export async function startJob(
  db: Database,
  viewer: Viewer,
  { job, now, starter, source }: { job: BulkJobRow; now: Date; starter: Starter; source: EventSource },
): Promise<BulkJobRow> {
  await assertOnlyUndo(db, viewer.accountId, { undoOf: job.undoOf, except: job.id, now })
  const isDone = pendingOf(job) === 0
  const ending: Pick<BulkJob, 'state' | 'finished'> = isDone
    ? { state: 'DONE', finished: now }
    : { state: 'RUNNING', finished: null }
  const change = { ...ending, started: now, starter, startedBy: source, expected: null, reason: null, token: null }
  await writeJob(db, viewer.accountId, job.id, { ...change, pauseMs: 0 })
  const after = { ...job, ...change }
  await recordEvents(db, { viewer }, [...startEvents(after), ...(isDone ? [finishEvent(after, now)] : [])])
  return after
}

/**
 * Throws CONFLICT if another undo of the job `undoOf` has not ended. Locks the job `undoOf`, because two undos must not
 * begin at the same time.
 */
export async function assertOnlyUndo(
  db: Database,
  accountId: string,
  { undoOf, except, now }: { undoOf: string | null; except: string | null; now: Date },
): Promise<void> {
  if (undoOf === null) return
  await lockJob(db, accountId, undoOf)
  const other = await findUndoInProgress(db, accountId, { undoOf, except, since: expiryOf(now) })
  if (other === undefined) return
  const message = `the bulk job ${other}, another undo of the bulk job ${undoOf}, has not ended: finish or cancel job ${other} first`
  throw new ApiError('CONFLICT', message, { job: other })
}
