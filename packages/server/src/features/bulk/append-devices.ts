import type { Database } from '../../db/database.ts'
import { badInput, limitExceeded } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Viewer } from '../../viewer.ts'
import { insertIds } from './bulk-items.queries.ts'
import type { BulkJob, CsvRow, CsvTarget } from './bulk-job.ts'
import { addRows } from './rows/add-rows.ts'

/** Checks whether the target is a list of devices that `appendBulk` can add to. */
export const isList = ({ target }: BulkJob): boolean => 'ids' in target || ('csv' in target && !('job' in target))

/**
 * Adds the IDs or the CSV rows to the job. Returns the job's new number of devices, or 0 if `ids` and `rows` are
 * omitted. Throws BAD_USER_INPUT if the job already contains one of the devices, and LIMIT_EXCEEDED if the job would
 * have too many devices.
 */
export async function addDevices(
  db: Database,
  accountId: string,
  {
    job,
    ids,
    rows,
    viewer,
  }: { job: BulkJob; ids: readonly string[] | undefined; rows: readonly CsvRow[] | undefined; viewer: Viewer },
): Promise<number> {
  if (ids !== undefined) return addIds(db, accountId, { job, ids })
  if (rows === undefined) return 0
  const { csv } = job.target as { csv: CsvTarget }
  const { id: jobId, operations } = job
  await addRows(db, accountId, { jobId, rows, register: csv.register, operations, caller: viewer })
  return assertFewDevices(job.total + rows.length)
}

function assertFewDevices(total: number): number {
  if (total <= limits.bulkTargets) return total
  throw limitExceeded(`a bulk job can have at most ${limits.bulkTargets} devices, found ${total}`)
}

export async function addIds(
  db: Database,
  accountId: string,
  { job, ids }: { job: Pick<BulkJob, 'id' | 'total'>; ids: readonly string[] },
): Promise<number> {
  const duplicates = await insertIds(db, { accountId, jobId: job.id }, ids)
  if (duplicates.length > 0)
    throw badInput(`ids[${ids.indexOf(duplicates[0]!)}]: the job already contains ${duplicates[0]}; omit it`)
  return assertFewDevices(job.total + ids.length)
}
