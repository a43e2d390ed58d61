import type { Context } from '../../context.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { ApiError, assertBelowLimit, badInput } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { MutationAppendBulkArgs, MutationCreateBulkArgs, MutationRunBulkArgs } from '../../resolvers.generated.ts'
import { createOnce } from '../idempotency/record-created.ts'
import { lockAccount } from '../users/users.ts'
import { addDevices, addIds, isList } from './append-devices.ts'
import { type NewJob, readJob } from './bulk-arguments.ts'
import { type BulkJob, type CsvTarget, expiryOf, isDraft } from './bulk-job.ts'
import { type BulkJobRow, countDrafts, insertJob, saveJob } from './bulk-jobs.queries.ts'
import { readIds, resolveFilter } from './bulk-target.ts'
import { changeJob, getJob, wrongState } from './change-job.ts'
import { newJobKey } from './downloads/job-secrets.ts'
import { findMatching } from './preview/find-matching-devices.ts'
import { beginPreview, isLarge } from './preview/preview.ts'
import { readCsv } from './rows/read-csv.ts'
import { finishPreview } from './run/job-steps.ts'
import { assertOnlyUndo } from './run/mark-started.ts'

export async function createBulk(context: Context, input: MutationCreateBulkArgs): Promise<BulkJob> {
  const read = await readJob(context, input, { expected: null })
  const isOpen = input.open === true
  if (isOpen && !isList(read.job)) throw badInput('open requires a target with ids or csv')
  return create(context, { ...read, isOpen })
}

/**
 * Throws CONFLICT in these cases:
 * - The job cannot run.
 * - The number of devices that would change is not `expected`.
 * - The preview rejects a device.
 *
 * The job then stays READY. In a request with an Idempotency-Key, however, the error rolls back the job. If the bulk
 * worker continues the preview, returns without waiting for the end of the preview.
 */
export async function runBulk(context: Context, { expected, ...input }: MutationRunBulkArgs): Promise<BulkJob> {
  const read = await readJob(context, input, { expected })
  const created = await create(context, { ...read, isOpen: false })
  if (created.state !== 'READY') return created
  const isKept = context.once === undefined
  throw new ApiError('CONFLICT', `the bulk job was not started: ${created.reason}`, isKept ? { job: created.id } : {})
}

async function create(context: Context, { job, ids, rows, isOpen }: NewJob & { isOpen: boolean }): Promise<BulkJob> {
  const { viewer, clock } = context
  const { accountId } = viewer
  const found = isOpen ? undefined : await findMatching(context, { job, now: clock() })
  const insert = async (db: Database): Promise<BulkJobRow> => {
    await lockAccount(db, accountId)
    await assertBelowDrafts(db, accountId, clock())
    const inserted = await addJob(db, context, job)
    const total = await addDevices(db, accountId, { job, ids, rows, viewer })
    const row = total > 0 ? await saveJob(db, accountId, inserted, { total }) : inserted
    return isOpen ? row : beginPreview(db, accountId, { job: row, now: clock(), found, viewer })
  }
  return createOnce(
    context,
    async (db) => continuePreview({ ...context, db }, await inTransaction(db, insert)),
    ({ id }) => ({ kind: 'bulk job', id }),
  )
}

export async function addJob(db: Database, { secrets, viewer }: Context, job: BulkJob): Promise<BulkJobRow> {
  const key = newJobKey(secrets, viewer.accountId, job)
  await insertJob(db, viewer.accountId, job, key)
  return { ...job, hasSecrets: key !== null, planned: null, phase: null, tolerated: 0 }
}

/**
 * Throws LIMIT_EXCEEDED if the account already has the maximum number of jobs that are DRAFT, PREVIEWING, or READY. The
 * caller must have locked the account.
 */
export async function assertBelowDrafts(db: Database, accountId: string, now: Date): Promise<void> {
  const found = await countDrafts(db, accountId, expiryOf(now))
  const objects = 'bulk jobs that are DRAFT, PREVIEWING, or READY'
  assertBelowLimit(objects, { limit: limits.bulkDrafts, found }, 'start or cancel one first')
}

/**
 * Continues the preview of a small job. Returns any other job unchanged, such as a large job, whose preview the bulk
 * worker continues.
 */
export async function continuePreview(
  { db, viewer, clock, staleMs, storage, log }: Context,
  begun: BulkJobRow,
): Promise<BulkJobRow> {
  if (begun.state !== 'PREVIEWING' || isLarge(begun)) return begun
  return finishPreview({ db, clock, staleMs, charge: storage.chargeAccount, log }, viewer.accountId, begun)
}

export async function appendBulk(context: Context, { id, ids, csv }: MutationAppendBulkArgs): Promise<BulkJob> {
  if ((ids == null) === (csv == null)) throw badInput('pass either ids or csv')
  if (ids?.length === 0) throw badInput('ids must contain at least one device ID')
  const read = ids == null ? undefined : readIds(ids, 'ids')
  return changeJob(context, id, async (db, job) => {
    const { target } = job
    if (job.state !== 'DRAFT' || !('ids' in target === (ids != null)) || !isList(job)) {
      const kind = ids == null ? 'csv' : 'ids'
      throw wrongState(job, `only a DRAFT job that was created with ${kind} and open: true accepts more ${kind}`)
    }
    const { accountId } = context.viewer
    if (csv == null) {
      const total = await addIds(db, accountId, { job, ids: read! })
      return saveJob(db, accountId, job, { total })
    }
    const { csv: before } = target as { csv: CsvTarget }
    const { columns, rows, lines } = readCsv(csv, { path: 'csv', after: before.lines })
    if (columns.join() !== before.columns.join())
      throw badInput(`csv must have the columns of the first CSV, in the same order: ${before.columns.join(', ')}`)
    const total = await addDevices(db, accountId, { job, ids: undefined, rows, viewer: context.viewer })
    return saveJob(db, accountId, job, { total, target: { csv: { ...before, lines } } })
  })
}

export async function previewBulk(context: Context, id: string): Promise<BulkJob> {
  const { viewer, clock, rowMeter } = context
  const { accountId } = viewer
  const known = await getJob(context, id)
  const isFilter = 'where' in known.target || 'view' in known.target
  const selection = isFilter ? await resolveFilter(context, known.target as FilterTarget) : {}
  const found = isFilter ? await findMatching(context, { job: { ...known, ...selection }, now: clock() }) : undefined
  if (!isFilter) rowMeter.add(({ devices }) => Math.min(devices, known.total))
  const begun = await changeJob(
    context,
    id,
    async (db, job) => {
      if (!isDraft(job)) throw wrongState(job, 'only a job that is DRAFT, READY, or EXPIRED can be previewed')
      if (job.state === 'EXPIRED') {
        await assertBelowDrafts(db, accountId, clock())
        await assertOnlyUndo(db, accountId, { undoOf: job.undoOf, except: id, now: clock() })
      }
      const selected = isFilter ? await saveJob(db, accountId, job, selection) : job
      return beginPreview(db, accountId, { job: selected, now: clock(), found, viewer })
    },
    { locksAccount: true },
  )
  return continuePreview(context, begun)
}

type FilterTarget = Parameters<typeof resolveFilter>[1]
