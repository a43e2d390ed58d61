import { randomBytes } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { sentTogether } from '../../../db/sent-together.ts'
import { bytesOfItems } from '../../../rate-limits/storage-quotas.ts'
import { insideOf } from '../../../restriction.ts'
import type { Viewer } from '../../../viewer.ts'
import { isList } from '../append-devices.ts'
import {
  deleteItems,
  deleteSomeItems,
  insertItems,
  selectUnplanned,
  type UnplannedItem,
  writePlans,
} from '../bulk-items.queries.ts'
import { noCounts } from '../bulk-job.ts'
import { type BulkJobRow, saveJob, writeJob } from '../bulk-jobs.queries.ts'
import { selectRows } from '../bulk-rows.queries.ts'
import { addRows, withoutResult } from '../rows/add-rows.ts'
import { type JobCaller, starterOf } from '../run/starter.ts'
import { type Found, findFirst, findNext, PREVIEWED_AT_ONCE } from './find-matching-devices.ts'
import { filterOf } from './job-filter.ts'
import type { Plan } from './plan.ts'
import { planDevices } from './plan-devices.ts'
import { rejectConflicts } from './taken-identifiers.ts'

/** The maximum number of devices that one step of a preview plans, unless the job is an undo or registers devices. */
const PLANNED_AT_ONCE = 250
/**
 * The maximum number of devices that one step plans for an undo. It is smaller than `PLANNED_AT_ONCE`, because the step
 * also reads the changes that the undone job recorded.
 */
const UNDONE_AT_ONCE = 100
/**
 * The maximum number of devices that one step plans for a job that registers devices. A step contains at most
 * `PLANNED_AT_ONCE` devices that are not prepared (see `prepareItem`).
 */
const PREPARED_AT_ONCE = 1_000
/** The maximum number of items of the previous preview that one step deletes. */
const DELETED_AT_ONCE = 5_000

/** `found` is the result of `findMatching`, or undefined if the target is not a filter. `job` must be locked. */
export async function beginPreview(
  db: Database,
  accountId: string,
  { job, now, found, viewer }: { job: BulkJobRow; now: Date; found: readonly Found[] | undefined; viewer: Viewer },
): Promise<BulkJobRow> {
  const place = { accountId, jobId: job.id }
  const start = { previewed: now, finished: null, planned: null, token: null, reason: null, starter: starterOf(viewer) }
  const begun = { state: 'PREVIEWING', ...start, ...noCounts } as const
  let devices: Pick<BulkJobRow, 'phase' | 'total'> = { phase: null, total: job.total }
  if (!isList(job)) {
    const few = found ?? (await findFirst(db, accountId, { job, limit: PREVIEWED_AT_ONCE, caller: viewer }))
    const isSmall = few !== undefined && job.total <= PREVIEWED_AT_ONCE
    devices = isSmall ? { phase: null, total: few.length } : { phase: job.total > 0 ? 'CLEAR' : 'FIND', total: 0 }
    if (isSmall) {
      await deleteItems(db, place)
      await addFound(db, place, { job, found: few, caller: viewer })
    }
  }
  return saveJob(db, accountId, job, { ...begun, ...devices })
}

export const isLarge = ({ phase, total }: BulkJobRow): boolean => phase !== null || total > PREVIEWED_AT_ONCE

export interface PreviewOptions {
  job: BulkJobRow
  /** Charges the account for the bytes that the step writes. May throw RATE_LIMITED. */
  charge: (bytes: number) => void
  caller: JobCaller
}

/** Runs one step of a preview. After the last devices have been planned, the job is READY. `job` must be locked. */
export function previewStep(
  db: Database,
  accountId: string,
  { job, charge, caller }: PreviewOptions,
): Promise<BulkJobRow> {
  if (job.phase === 'CLEAR') return clearStep(db, accountId, job)
  return job.phase === 'FIND'
    ? findStep(db, accountId, { job, caller })
    : planStep(db, accountId, { job, charge, caller })
}

async function clearStep(db: Database, accountId: string, job: BulkJobRow): Promise<BulkJobRow> {
  const deleted = await deleteSomeItems(db, { accountId, jobId: job.id }, DELETED_AT_ONCE)
  return deleted === DELETED_AT_ONCE ? job : saveJob(db, accountId, job, { phase: 'FIND' })
}

async function findStep(
  db: Database,
  accountId: string,
  { job, caller }: Omit<PreviewOptions, 'charge'>,
): Promise<BulkJobRow> {
  const { found, last } = await findNext(db, accountId, { job, caller })
  if (found.length > 0) await addFound(db, { accountId, jobId: job.id }, { job, found, caller })
  const total = job.total + found.length
  return saveJob(db, accountId, job, last === null ? { phase: null, planned: null, total } : { planned: last, total })
}

/**
 * Adds the found devices to the job. If the target is a job with CSV rows and this job is not an undo, finds the
 * devices of the rows again. Devices that were missing for the other job may exist by now.
 */
async function addFound(
  db: Database,
  place: { accountId: string; jobId: string },
  {
    job: { target, undoOf, operations },
    found,
    caller,
  }: { job: BulkJobRow; found: readonly Found[]; caller: JobCaller },
): Promise<void> {
  if (!('job' in target) || target.csv === undefined || undoOf !== null) return insertItems(db, place, found)
  const { accountId, jobId } = place
  const ids = found.map(({ id }) => id)
  const rows = await selectRows(db, { accountId, jobId: target.job }, ids)
  const { register } = target.csv
  const again = [...rows.values()].map(withoutResult)
  await addRows(db, accountId, { jobId, rows: again, register, operations, caller })
}

async function planStep(db: Database, accountId: string, { job, charge, caller }: PreviewOptions): Promise<BulkJobRow> {
  const place = { accountId, jobId: job.id }
  const found = await readUnplanned(db, place, job)
  const unprepared = found.next.filter(({ isPrepared }) => !isPrepared)
  // The devices of another job may have changed since that job found them, so the preview checks the filter again.
  const filter = 'job' in job.target ? filterOf(job, caller) : undefined
  const plans =
    unprepared.length === 0 ? [] : await planDevices(db, accountId, { job, items: unprepared, filter, caller })
  const { next, isLast } = plans.length === unprepared.length ? found : upTo(found.next, plans.at(-1)!.id)
  const prepared = next.filter(({ isPrepared }) => isPrepared)
  const items = await rejectConflicts(db, accountId, { job, prepared, plans, inside: insideOf(caller) })
  if (next.length > 0) charge(bytesOfItems(items.map(({ changes }) => changes)) + sizeOf(prepared))
  const count = (isCounted: (item: Plan) => boolean): number => items.filter(isCounted).length
  const change: Partial<BulkJobRow> = {
    planned: next.at(-1)?.id ?? job.planned,
    plannedCount: job.plannedCount + next.length,
    changing: job.changing + count(({ outcome }) => outcome === 'CHANGE'),
    registering: job.registering + next.length - items.length + count(({ outcome }) => outcome === 'REGISTER'),
    unchanged: job.unchanged + count(({ status }) => status === 'UNCHANGED'),
    rejected: job.rejected + count(({ outcome }) => outcome === 'REJECTED'),
    reason: null,
    ...(isLast && { state: 'READY' as const, token: randomBytes(12).toString('hex') }),
  }
  await sentTogether([writePlans(db, place, items), writeJob(db, accountId, job.id, change)])
  return { ...job, ...change }
}

const sizeOf = (prepared: readonly UnplannedItem[]): number => prepared.reduce((sum, { bytes }) => sum + bytes, 0)

/** The next step plans the devices after `last`. */
const upTo = (items: readonly UnplannedItem[], last: string) => ({
  next: items.slice(0, items.findIndex(({ id }) => id === last) + 1),
  isLast: false,
})

async function readUnplanned(
  db: Database,
  place: { accountId: string; jobId: string },
  { planned, target, undoOf }: BulkJobRow,
): Promise<{ next: UnplannedItem[]; isLast: boolean }> {
  const isRegistering = 'csv' in target && target.csv?.register === true
  const atOnce = undoOf === null ? PLANNED_AT_ONCE : UNDONE_AT_ONCE
  const limit = isRegistering && undoOf === null ? PREPARED_AT_ONCE : atOnce
  const found = await selectUnplanned(db, place, { after: planned, limit })
  let unprepared = 0
  const end = found.findIndex(({ isPrepared }) => !isPrepared && ++unprepared > atOnce)
  const next = end === -1 ? found : found.slice(0, end)
  return { next, isLast: next.length < limit && end === -1 }
}
