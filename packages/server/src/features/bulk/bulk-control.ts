import type { Context } from '../../context.ts'
import { ApiError, badInput } from '../../errors.ts'
import { sourceOf } from '../events/event-source.ts'
import { changeJob, newJob, preview, readRate, wrongState } from './bulk.ts'
import { type BulkItemStatus, type BulkJob, isEnded, withExpiry } from './bulk-job.ts'
import { insertJob, selectUndos, writeJob } from './bulk-jobs.queries.ts'
import { recordFinish } from './job-events.ts'
import { starterOf } from './starter.ts'

export const pauseBulk = (context: Context, id: string): Promise<BulkJob> =>
  changeJob(context, id, async (db, job) => {
    if (job.state === 'PAUSED') return job
    if (job.state !== 'RUNNING') throw wrongState(job, 'only a running job can be paused')
    const change = { state: 'PAUSED', reason: 'paused by a user' } as const
    await writeJob(db, context.viewer.accountId, id, change)
    return { ...job, ...change }
  })

export const resumeBulk = (context: Context, { id, rate }: { id: string; rate?: number | null }): Promise<BulkJob> =>
  changeJob(context, id, async (db, job) => {
    const { viewer, clock } = context
    if (job.state !== 'RUNNING' && job.state !== 'PAUSED') throw wrongState(job, 'only a paused job can be resumed')
    const pace = { rate: rate == null ? job.rate : readRate(rate), nextBatch: clock() }
    const starting = {
      state: 'RUNNING',
      reason: null,
      starter: starterOf(viewer),
      startedBy: sourceOf(viewer),
    } as const
    const change = job.state === 'RUNNING' ? pace : { ...pace, ...starting }
    await writeJob(db, viewer.accountId, id, change)
    return { ...job, ...change }
  })

export const cancelBulk = (context: Context, id: string): Promise<BulkJob> =>
  changeJob(context, id, async (db, job) => {
    const { viewer, clock } = context
    if (job.state === 'CANCELED') return job
    if (isEnded(job) && job.state !== 'EXPIRED') throw wrongState(job, 'the job has ended')
    const change = { state: 'CANCELED', reason: null, finished: clock(), token: null } as const
    await writeJob(db, viewer.accountId, id, change)
    const canceled = { ...job, ...change }
    if (job.started !== null) await recordFinish(db, viewer, { job: canceled, now: change.finished })
    return canceled
  })

export const retryBulk = (
  context: Context,
  { id, statuses }: { id: string; statuses: readonly BulkItemStatus[] },
): Promise<BulkJob> =>
  changeJob(context, id, async (db, job) => {
    if (statuses.length === 0) throw badInput('statuses must not be empty')
    const found = statuses.find((status) => status !== 'FAILED' && status !== 'SKIPPED')
    if (found !== undefined) throw badInput(`statuses can contain FAILED and SKIPPED, not ${found}`)
    if (['RUNNING', 'PREVIEWING', 'DRAFT'].includes(job.state))
      throw wrongState(job, 'its devices can be retried once it has ended')
    return derive({ ...context, db }, job, {
      name: `Retry of ${job.name}`.slice(0, 100),
      target: { job: id, statuses: [...statuses] },
      rate: job.rate,
      undoOf: job.undoOf,
    })
  })

export const undoBulk = (context: Context, { id, rate }: { id: string; rate?: number | null }): Promise<BulkJob> =>
  changeJob(context, id, async (db, job) => {
    const { viewer, clock } = context
    if (!isUndoable(job)) throw wrongState(job, 'deleted devices cannot be restored')
    if (job.started === null) throw wrongState(job, 'it has not changed anything')
    if (job.state === 'RUNNING' || job.state === 'PAUSED') throw wrongState(job, 'cancel it first')
    const [other] = await selectUndos(db, viewer.accountId, [id])
    if (other !== undefined && !isEnded(withExpiry(other, clock())))
      throw new ApiError('CONFLICT', `the bulk job ${other.id} already undoes this one: finish or cancel it first`, {
        job: other.id,
      })
    return derive({ ...context, db }, job, {
      name: `Undo of ${job.name}`.slice(0, 100),
      target: { job: id, statuses: ['DONE'] },
      rate: readRate(rate),
      undoOf: id,
    })
  })

export const isUndoable = ({ operations }: BulkJob): boolean => !operations.some((operation) => 'delete' in operation)

/** Creates and previews a job over devices of another job. */
async function derive(
  context: Context,
  { operations, maxFailures }: BulkJob,
  input: Pick<BulkJob, 'name' | 'target' | 'rate' | 'undoOf'>,
): Promise<BulkJob> {
  const { db, viewer, clock } = context
  const job = newJob(context, { ...input, filter: null, context: null, operations, maxFailures, expected: null })
  await insertJob(db, viewer.accountId, job)
  return preview(db, viewer.accountId, { job: { ...job, planned: null }, now: clock() })
}
