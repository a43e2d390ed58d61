import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { badInput } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { createOnce } from '../idempotency/record-created.ts'
import { newJob, readRate } from './bulk-arguments.ts'
import type { BulkItemStatus, BulkJob, CsvTarget } from './bulk-job.ts'
import type { BulkJobRow } from './bulk-jobs.queries.ts'
import { changeJob, wrongState } from './change-job.ts'
import { addJob, assertBelowDrafts, continuePreview } from './create-bulk.ts'
import { beginPreview, isLarge } from './preview/preview.ts'
import { assertOnlyUndo } from './run/mark-started.ts'

export const retryBulk = (
  context: Context,
  { id, statuses }: { id: string; statuses: readonly BulkItemStatus[] },
): Promise<BulkJob> =>
  derive(context, id, (job) => {
    if (statuses.length === 0) throw badInput('statuses must not be empty: pass FAILED, SKIPPED, or both')
    const found = statuses.find((status) => status !== 'FAILED' && status !== 'SKIPPED')
    if (found !== undefined) throw badInput(`statuses can contain only FAILED and SKIPPED, not ${found}`)
    if (['RUNNING', 'PREVIEWING', 'DRAFT'].includes(job.state))
      throw wrongState(job, 'only a job that is READY or PAUSED, or that has ended, can be retried')
    const { rate, undoOf, filter, context: inContext } = job
    return {
      name: shortName(`Retry of ${job.name}`),
      target: { job: id, statuses: [...new Set(statuses)], ...csvOf(job, {}) },
      ...{ rate, undoOf, filter, context: inContext },
    }
  })

export const undoBulk = (context: Context, { id, rate }: { id: string; rate?: number | null }): Promise<BulkJob> =>
  derive(context, id, (job) => {
    if (!isUndoable(job)) throw wrongState(job, 'a job that deletes devices cannot be undone')
    if (job.started === null) throw wrongState(job, 'only a job that has been started can be undone')
    if (job.state === 'RUNNING' || job.state === 'PAUSED')
      throw wrongState(job, 'only a job that has ended can be undone; finish or cancel this job first')
    return {
      name: shortName(`Undo of ${job.name}`),
      target: { job: id, statuses: ['DONE'], ...csvOf(job, { isUndo: true }) },
      ...{ rate: readRate(rate), undoOf: id, filter: null, context: null },
    }
  })

/** Copies the target's CSV options, if any. They determine which permissions the new job needs. */
const csvOf = ({ target }: BulkJob, more: { isUndo?: true }) =>
  'csv' in target && target.csv !== undefined ? { csv: { ...target.csv, ...more } } : {}

/** Jobs that delete devices cannot be undone. These include jobs that undo registrations. */
export const isUndoable = ({ operations, target }: BulkJob): boolean =>
  !operations.some((operation) => 'delete' in operation) && !('csv' in target && undoesRegistrations(target.csv))

const undoesRegistrations = (csv: CsvTarget | undefined): boolean => csv?.register === true && csv.isUndo === true

/** Shortens the name to the maximum length without splitting a surrogate pair. */
const shortName = (name: string): string => [...name].slice(0, limits.bulkNameLength).join('')

type Derived = Pick<BulkJob, 'name' | 'target' | 'rate' | 'undoOf' | 'filter' | 'context'>

/**
 * Creates a job from the job `id`, and begins the preview of the new job. `describe` throws if the job `id` is
 * unsuitable. It returns the new job's settings, except `operations` and `maxFailures`, which are copied.
 */
async function derive(context: Context, id: string, describe: (job: BulkJobRow) => Derived): Promise<BulkJob> {
  const { viewer, clock, rowMeter } = context
  const { accountId } = viewer
  const begin = (within: Context): Promise<BulkJobRow> =>
    changeJob(
      within,
      id,
      async (db, from) => {
        const input = describe(from)
        const now = clock()
        await assertBelowDrafts(db, accountId, now)
        await assertOnlyUndo(db, accountId, { undoOf: input.undoOf, except: null, now })
        const { operations, maxFailures } = from
        const job = newJob(context, { ...input, operations, maxFailures, expected: null })
        const added = await addJob(db, context, job)
        return beginPreview(db, accountId, { job: added, now, found: undefined, viewer })
      },
      { locksAccount: true },
    )
  const create = async (db: Database): Promise<BulkJob> => {
    const within = { ...context, db }
    const begun = await begin(within)
    rowMeter.add(({ devices }) => (isLarge(begun) ? devices : Math.min(devices, begun.total)))
    return continuePreview(within, begun)
  }
  return createOnce(context, create, (created) => ({ kind: 'bulk job', id: created.id }))
}
