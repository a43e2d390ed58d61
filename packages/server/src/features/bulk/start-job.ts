import type { Database } from '../../db/database.ts'
import type { Viewer } from '../../viewer.ts'
import type { EventSource } from '../events/event-types.ts'
import { type BulkJob, pendingOf, type Starter } from './bulk-job.ts'
import { type BulkJobRow, writeJob } from './bulk-jobs.queries.ts'
import { recordFinish, recordStart } from './job-events.ts'

/** Starts a job that is READY and locked. A job without devices to change ends at once. */
export async function startJob(
  db: Database,
  viewer: Viewer,
  { job, now, starter, source }: { job: BulkJobRow; now: Date; starter: Starter; source: EventSource },
): Promise<BulkJobRow> {
  const started = { ...job, started: now, starter, startedBy: source, expected: null, reason: null, token: null }
  const isDone = pendingOf(job) === 0
  const state: Pick<BulkJob, 'state' | 'finished'> = isDone
    ? { state: 'DONE', finished: now }
    : { state: 'RUNNING', finished: null }
  const { startedBy, expected, reason, token } = started
  await writeJob(db, viewer.accountId, job.id, {
    ...{ ...state, started: now, starter, startedBy, expected, reason, token, nextBatch: now },
  })
  const after = { ...started, ...state }
  await recordStart(db, viewer, after)
  if (isDone) await recordFinish(db, viewer, { job: after, now })
  return after
}
