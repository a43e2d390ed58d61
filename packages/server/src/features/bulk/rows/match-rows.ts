import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import { newId, parseId } from '../../devices/device-id.ts'
import type { CsvRow } from '../bulk-job.ts'
import { type KeyedDevice, type RowItem, selectByKeys } from '../bulk-rows.queries.ts'

interface GivenRows {
  rows: readonly CsvRow[]
  register: boolean
  /** Matches the devices that the caller can reach. Undefined if the caller can reach all devices. */
  inside: ResolvedFilter | undefined
}

/**
 * Returns an item for each row: the device that the row identifies or registers, or a placeholder for a row that the
 * preview rejects.
 */
export async function matchRows(
  db: Database,
  accountId: string,
  { rows, register, inside }: GivenRows,
): Promise<RowItem[]> {
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
    const ofRow = row.error === undefined ? deviceOf(row, { register, byId, byHardwareId, byName }) : undefined
    if (ofRow instanceof ApiError)
      return newItem({ ...row, error: { code: ofRow.code, message: ofRow.message } }, false)
    return ofRow === undefined ? newItem(row, register) : { id: ofRow.id, name: ofRow.name, row, key: null }
  })
}

interface FoundDevices {
  register: boolean
  byId: ReadonlyMap<string, KeyedDevice>
  byHardwareId: ReadonlyMap<string | null, KeyedDevice>
  byName: ReadonlyMap<string, KeyedDevice[]>
}

/**
 * Finds the device by ID, or by hardware ID if the row has no ID, or by name if the row has neither. If the job
 * registers devices, the row may come from another account, so an unknown ID has no effect. Returns undefined if there
 * is no such device, and an error if several devices have the name.
 */
function deviceOf(
  { id, hardwareId, name }: CsvRow,
  { register, byId, byHardwareId, byName }: FoundDevices,
): KeyedDevice | ApiError | undefined {
  const withId = id === null ? undefined : byId.get(parseId(id) ?? '')
  if (withId !== undefined || (id !== null && !register)) return withId
  if (hardwareId !== null) return byHardwareId.get(hardwareId)
  const named = name === null ? [] : (byName.get(name) ?? [])
  if (named.length < 2) return named[0]
  const message = `${named.length} devices have the name ${JSON.stringify(name)}: identify the device with the column id or hardwareId`
  return new ApiError('CONFLICT', message)
}

/**
 * Returns the item for a row that has an error or identifies no device. The preview rejects the row unless the row
 * registers a device.
 */
function newItem(row: CsvRow, register: boolean): RowItem {
  const { line, name, hardwareId, error } = row
  const isNew = register && error === undefined && name !== null
  const key = hardwareId === null ? `name ${name}` : `hardwareId ${hardwareId}`
  const id = isNew ? newId() : `line ${line}`
  return { id, name: name ?? '', row: { ...row, isNew }, key: isNew ? key : null }
}
