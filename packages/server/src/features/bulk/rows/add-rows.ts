import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../../db/database.ts'
import { ApiError, badInput } from '../../../errors.ts'
import { insideOf } from '../../../restriction.ts'
import type { Viewer } from '../../../viewer.ts'
import { newId, parseId } from '../../devices/device-id.ts'
import { type BulkOperation, type CsvRow, setsHardwareId } from '../bulk-job.ts'
import {
  insertRows,
  type KeyedDevice,
  type PreparedItem,
  type RowItem,
  selectByKeys,
  selectLines,
} from '../bulk-rows.queries.ts'
import { planDevice } from './plan-row.ts'

/** The maximum number of rows that one statement inserts. */
const INSERTED_AT_ONCE = 500

export interface AddedRows {
  jobId: string
  rows: readonly CsvRow[]
  /** Whether a row that matches no device registers one. */
  register: boolean
  operations: readonly BulkOperation[]
  caller: Pick<Viewer, 'restriction' | 'reach'>
}

interface GivenRows extends Pick<AddedRows, 'rows' | 'register'> {
  /** The devices that the caller can reach. Undefined for all devices. */
  inside: ResolvedFilter | undefined
}

/** Throws if two rows identify the same device. */
export async function addRows(
  db: Database,
  accountId: string,
  { jobId, rows, register, operations, caller }: AddedRows,
): Promise<void> {
  const place = { accountId, jobId }
  const items = await findDevices(db, accountId, { rows, register, inside: insideOf(caller) })
  assertNoneTwice(items)
  // The preview computes the devices that a restricted caller registers, because it checks the restriction.
  const prepare = (item: RowItem): PreparedItem =>
    caller.restriction === undefined ? prepareItem(item, operations) : { ...item, changes: {} }
  const added = new Set(await insertInParts(db, place, { items, prepare }))
  const twice = items.find(({ id }) => !added.has(id))
  if (twice === undefined) return
  const line = await selectLines(db, place, twice)
  throw sameDevice(line ?? 0, twice.row.line)
}

/** Prepares the next rows while PostgreSQL inserts the previous rows. Returns the IDs of the inserted rows. */
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
 * Adds the device that a row registers, so that the preview only checks for conflicts with other devices. Leaves two
 * kinds of devices to the preview: devices that break a rule, which the preview rejects, and devices to which
 * operations give hardware IDs, because two devices may get the same hardware ID.
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
  badInput(`csv: lines ${one} and ${other} identify the same device`)

function assertNoneTwice(items: readonly RowItem[]): void {
  const seen = new Map<string, number>()
  for (const { id, key, row } of items) {
    for (const text of [`id ${id}`, ...(key === null ? [] : [key])]) {
      const other = seen.get(text)
      if (other !== undefined) throw sameDevice(other, row.line)
      seen.set(text, row.line)
    }
  }
}

async function findDevices(db: Database, accountId: string, { rows, register, inside }: GivenRows): Promise<RowItem[]> {
  const given = (values: readonly (string | null)[]): string[] => [...new Set(values.filter((value) => value !== null))]
  const found = await selectByKeys(db, accountId, {
    ids: given(rows.map(({ id }) => (id === null ? null : (parseId(id) ?? null)))),
    hardwareIds: given(rows.map(({ hardwareId }) => hardwareId)),
    names: given(rows.map(({ name, hardwareId }) => (hardwareId === null ? name : null))),
    inside,
  })
  const byId = new Map(found.map((device) => [device.id, device]))
  const byHardwareId = new Map(found.map((device) => [device.hardwareId, device]))
  const byName = Map.groupBy(found, ({ name }) => name)
  return rows.map((row): RowItem => {
    const ofRow = row.error === undefined ? deviceOf(row, { byId, byHardwareId, byName }) : undefined
    if (ofRow instanceof ApiError)
      return newItem({ ...row, error: { code: ofRow.code, message: ofRow.message } }, false)
    return ofRow === undefined ? newItem(row, register) : { id: ofRow.id, name: ofRow.name, row, key: null }
  })
}

interface FoundDevices {
  byId: ReadonlyMap<string, KeyedDevice>
  byHardwareId: ReadonlyMap<string | null, KeyedDevice>
  byName: ReadonlyMap<string, KeyedDevice[]>
}

/**
 * Finds a row's device by its ID. If no device has this ID, uses the hardware ID, or the name if the row has no
 * hardware ID.
 */
function deviceOf(
  { id, hardwareId, name }: CsvRow,
  { byId, byHardwareId, byName }: FoundDevices,
): KeyedDevice | ApiError | undefined {
  const withId = id === null ? undefined : byId.get(parseId(id) ?? '')
  if (withId !== undefined) return withId
  if (hardwareId !== null) return byHardwareId.get(hardwareId)
  const named = name === null ? [] : (byName.get(name) ?? [])
  if (named.length < 2) return named[0]
  const message = `${named.length} devices have the name ${JSON.stringify(name)}: add a column id or hardwareId`
  return new ApiError('CONFLICT', message)
}

/** With `register`, a valid row with a name registers a device. The preview rejects all other rows. */
function newItem(row: CsvRow, register: boolean): RowItem {
  const { line, name, hardwareId, error } = row
  const isNew = register && error === undefined && name !== null
  const key = hardwareId === null ? `name ${name}` : `hardwareId ${hardwareId}`
  const id = isNew ? newId() : `line ${line}`
  return { id, name: name ?? '', row: { ...row, isNew }, key: isNew ? key : null }
}
