import type { Context } from '../../../context.ts'
import type { Database } from '../../../db/database.ts'
import { walk } from '../../../db/fair/user-database.ts'
import { ApiError, limitExceeded } from '../../../errors.ts'
import { limits } from '../../../limits.ts'
import { insideOf } from '../../../restriction.ts'
import { unindexedTerms } from '../../filters/read-filter.ts'
import { selectItemsOf, selectMatching, selectRangeEnd } from '../bulk-items.queries.ts'
import type { BulkJob } from '../bulk-job.ts'
import type { BulkJobRow } from '../bulk-jobs.queries.ts'
import type { JobCaller } from '../run/starter.ts'
import { filterOf } from './job-filter.ts'

export interface Found {
  id: string
  name: string
}

/** The maximum number of devices that a request previews. If there are more, the bulk worker previews all devices. */
export const PREVIEWED_AT_ONCE = 1_000
/** The maximum number of devices that one step of a preview searches. */
const READ_AT_ONCE = 5_000

/**
 * Returns the devices that match the job's filter, or undefined if the job has no filter. Also returns undefined if
 * more than `PREVIEWED_AT_ONCE` devices match, or if the search exceeds its time limit. The preview then finds the
 * devices in steps.
 */
export async function findMatching(
  { db, viewer, rowMeter }: Context,
  { job, now }: { job: BulkJob; now: Date },
): Promise<Found[] | undefined> {
  const filter = filterOf({ ...job, previewed: now }, viewer)
  if (filter === undefined) return undefined
  const { isIndexed } = filter.where
  if (!isIndexed) rowMeter.add(({ devices }) => devices)
  const reasons = isIndexed ? [] : [unindexedTerms(filter.where)]
  const limit = PREVIEWED_AT_ONCE + 1
  try {
    const found = await walk(db, reasons, (walking) => selectMatching(walking, viewer.accountId, { filter, limit }))
    if (isIndexed) rowMeter.add(({ devices }) => (found.length < limit ? Math.min(devices, found.length) : devices))
    return found.length < limit ? found : undefined
  } catch (error) {
    if (error instanceof ApiError && error.code === 'LIMIT_EXCEEDED') return undefined
    throw error
  }
}

/**
 * Returns the devices that the target selects from another job. Returns undefined if there are more than `limit`
 * devices or if the target is of another kind.
 */
export async function findFirst(
  db: Database,
  accountId: string,
  { job: { target }, limit, caller }: { job: BulkJob; limit: number; caller: JobCaller },
): Promise<Found[] | undefined> {
  if (!('job' in target)) return undefined
  const { job: from, statuses } = target
  const inside = insideOf(caller)
  const found = await selectItemsOf(db, accountId, { from, statuses, after: '', limit: limit + 1, inside })
  return found.length > limit ? undefined : found
}

/**
 * Finds the devices for the next step of the job's preview. `last` is the ID at which the search stopped, or null if
 * the search is complete. Throws LIMIT_EXCEEDED if the job would have too many devices.
 */
export async function findNext(
  db: Database,
  accountId: string,
  { job, caller }: { job: BulkJobRow; caller: JobCaller },
): Promise<{ found: Found[]; last: string | null }> {
  const next = await readNext(db, accountId, { job, caller })
  if (job.total + next.found.length > limits.bulkTargets)
    throw limitExceeded(
      `a bulk job can have at most ${limits.bulkTargets} devices, but more devices match: narrow the filter`,
    )
  return next
}

async function readNext(db: Database, accountId: string, { job, caller }: { job: BulkJobRow; caller: JobCaller }) {
  const after = job.planned ?? ''
  if ('job' in job.target) {
    const { job: from, statuses } = job.target
    const inside = insideOf(caller)
    const found = await selectItemsOf(db, accountId, { from, statuses, after, limit: READ_AT_ONCE, inside })
    return { found, last: found.length < READ_AT_ONCE ? null : found.at(-1)!.id }
  }
  const filter = filterOf(job, caller)
  const upTo = await selectRangeEnd(db, accountId, { after, limit: READ_AT_ONCE })
  if (filter === undefined || upTo === null) return { found: [], last: null }
  return { found: await selectMatching(db, accountId, { filter, among: { after, upTo } }), last: upTo }
}
