import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { sourceOf } from '../events/event-source.ts'
import { recordEvents } from '../events/record.ts'
import { readRate } from './bulk-arguments.ts'
import { type BulkJob, countsOf, isEnded, writing } from './bulk-job.ts'
import { saveJob, writeJob } from './bulk-jobs.queries.ts'
import { changeJob, wrongState } from './change-job.ts'
import { finishEvent } from './run/job-events.ts'
import { assertOnlyUndo, startJob } from './run/mark-started.ts'
import { starterOf } from './run/starter.ts'

export async function startBulk(
  context: Context,
  { id, token, expected }: { id: string; token: string; expected?: number | null },
): Promise<BulkJob> {
  const { viewer, clock } = context
  return changeJob(context, id, async (db, job) => {
    if (job.state !== 'READY') throw wrongState(job, 'only a job that is READY can be started')
    if (job.token !== token)
      throw new ApiError('CONFLICT', 'token is not from the newest preview: read the job again for its new token', {
        job: id,
        counts: countsOf(job),
      })
    const found = writing(job)
    if (expected != null && expected !== found)
      throw new ApiError(
        'CONFLICT',
        `the number of devices that would change is ${found} (expected ${expected}): check the preview`,
        { job: id, found, counts: countsOf(job) },
      )
    return startJob(db, viewer, { job, now: clock(), starter: starterOf(viewer), source: sourceOf(viewer) })
  })
}

export const pauseBulk = (context: Context, id: string): Promise<BulkJob> =>
  changeJob(context, id, async (db, job) => {
    if (job.state === 'PAUSED') return job
    if (job.state !== 'RUNNING') throw wrongState(job, 'only a job that is RUNNING can be paused')
    return saveJob(db, context.viewer.accountId, job, { state: 'PAUSED', reason: 'paused on request' })
  })

export const resumeBulk = (context: Context, { id, rate }: { id: string; rate?: number | null }): Promise<BulkJob> =>
  changeJob(context, id, async (db, job) => {
    const { viewer, clock } = context
    if (job.state !== 'RUNNING' && job.state !== 'PAUSED')
      throw wrongState(job, 'only a job that is PAUSED or RUNNING can be resumed')
    const pace = { rate: rate == null ? job.rate : readRate(rate) }
    if (job.state === 'PAUSED')
      await assertOnlyUndo(db, viewer.accountId, { undoOf: job.undoOf, except: id, now: clock() })
    const starting = {
      state: 'RUNNING',
      reason: null,
      tolerated: job.failed,
      starter: starterOf(viewer),
      startedBy: sourceOf(viewer),
    } as const
    const change = job.state === 'RUNNING' ? pace : { ...pace, ...starting }
    await writeJob(db, viewer.accountId, id, { ...change, pauseMs: 0 })
    return { ...job, ...change }
  })

export const cancelBulk = (context: Context, id: string): Promise<BulkJob> =>
  changeJob(context, id, async (db, job) => {
    const { viewer, clock } = context
    if (job.state === 'CANCELED') return job
    if (isEnded(job) && job.state !== 'EXPIRED')
      throw wrongState(job, 'a job that is DONE or FAILED cannot be canceled')
    const finished = clock()
    const change = { state: 'CANCELED', reason: null, finished, token: null } as const
    const canceled = await saveJob(db, viewer.accountId, job, change)
    if (job.started !== null) await recordEvents(db, { viewer }, [finishEvent(canceled, finished)])
    return canceled
  })
