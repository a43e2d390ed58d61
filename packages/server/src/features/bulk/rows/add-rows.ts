import type { Database } from '../../../db/database.ts'
import { ApiError, badInput } from '../../../errors.ts'
import { insideOf } from '../../../restriction.ts'
import type { Viewer } from '../../../viewer.ts'
import { type BulkOperation, type CsvRow, setsHardwareId } from '../bulk-job.ts'
import { findLine, insertRows, type PreparedItem, type RowItem } from '../bulk-rows.queries.ts'
import { matchRows } from './match-rows.ts'
import { planDevice } from './plan-row.ts'

/** The maximum number of rows that one statement inserts. */
const INSERTED_AT_ONCE = 500

export interface AddedRows {
  jobId: string
  rows: readonly CsvRow[]
  register: boolean
  operations: readonly BulkOperation[]
  caller: Pick<Viewer, 'restriction' | 'reach'>
}

/**
 * Adds the rows to the job. Throws if two rows identify the same device, or if a row identifies a device that the job
 * already contains.
 */
export async function addRows(
  db: Database,
  accountId: string,
  { jobId, rows, register, operations, caller }: AddedRows,
): Promise<void> {
  const place = { accountId, jobId }
  const items = await matchRows(db, accountId, { rows, register, inside: insideOf(caller) })
  assertNoDuplicates(items)
  // If the caller is restricted, the preview prepares the new devices, because it checks the restriction.
  const prepare = (item: RowItem): PreparedItem =>
    caller.restriction === undefined ? prepareItem(item, operations) : { ...item, changes: {} }
  const added = new Set(await insertInParts(db, place, { items, prepare }))
  const duplicate = items.find(({ id }) => !added.has(id))
  if (duplicate === undefined) return
  const line = await findLine(db, place, duplicate)
  throw sameDevice(line ?? 0, duplicate.row.line)
}

/** Prepares the next rows while PostgreSQL inserts the previous rows. Returns the IDs of the inserted items. */
async function insertInParts(
  db: Database,
  place: { accountId: string; jobId: string },
  { items, prepare }: { items: readonly RowItem[]; prepare: (item: RowItem) => PreparedItem },
): Promise<string[]> {
  const added: string[] = []
  let inserting: Promise<string[]> = Promise.resolve([])
  try {
    for (let from = 0; from < items.length; from += INSERTED_AT_ONCE) {
      const part = items.slice(from, from + INSERTED_AT_ONCE).map(prepare)
      added.push(...(await inserting))
      inserting = insertRows(db, place, part)
    }
    return [...added, ...(await inserting)]
  } finally {
    // The transaction must not end before the insert ends, even if `prepare` throws.
    await Promise.allSettled([inserting])
  }
}

/** Removes the result of an earlier search for the row's device. Keeps the error of an invalid row. */
export function withoutResult({ isNew: _isNew, error, ...row }: CsvRow): CsvRow {
  return error === undefined || error.code === 'CONFLICT' ? row : { ...row, error }
}

/**
 * Prepares the device that a row registers, so that the preview only checks for conflicts with other devices. Leaves
 * these devices to the preview:
 *
 * - devices that break a rule, which the preview rejects
 * - devices to which operations give hardware IDs, because two devices may get the same hardware ID
 */
function prepareItem(item: RowItem, operations: readonly BulkOperation[]): PreparedItem {
  const unprepared = { ...item, changes: {} }
  if (item.row.isNew !== true || operations.some(setsHardwareId)) return unprepared
  try {
    const register = planDevice(item.row, { id: item.id, operations })
    const { line, id, isNew } = item.row
    const row = operations.length === 0 ? { line, id, isNew } : item.row
    return { ...item, name: register.name, row, changes: { register } }
  } catch (error) {
    if (error instanceof ApiError) return unprepared
    throw error
  }
}

const sameDevice = (one: number, other: number): ApiError =>
  badInput(`CSV lines ${one} and ${other} identify the same device: keep only one of them`)

function assertNoDuplicates(items: readonly RowItem[]): void {
  const seen = new Map<string, number>()
  for (const { id, key, row } of items) {
    for (const text of [`id ${id}`, ...(key === null ? [] : [key])]) {
      const other = seen.get(text)
      if (other !== undefined) throw sameDevice(other, row.line)
      seen.set(text, row.line)
    }
  }
}
