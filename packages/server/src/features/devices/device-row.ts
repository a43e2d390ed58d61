import { type RawBuilder, sql } from 'kysely'
import { rowsAsArrays } from '../../db/database.ts'
import type { StoredTime } from '../../db/type-parsers.ts'
import type { Viewer } from '../../viewer.ts'
import { isReadableName, readableOnly } from '../attributes/attribute-access.ts'
import { categoryAndStatus, RESERVED_GROUP } from '../attributes/attribute-name.ts'
import { joinReservedRaw, type RawAttributes, reservedColumns, reservedGroup } from '../attributes/attributes.ts'
import type { Device, State } from './device.ts'

/** The attributes to read: all (`true`), none (`false`), or only the reserved ones, which have their own columns. */
export type AttributesRead = boolean | 'reserved'

/**
 * A device's columns in the order of `deviceColumns`. Rows are arrays because objects would repeat the column names in
 * lists of thousands of rows.
 */
export type DeviceRow = readonly [
  id: string,
  name: string,
  hardwareId: string | null,
  platform: string | null,
  created: StoredTime,
  state: State,
  stateSince: StoredTime | null,
  lastReported: StoredTime | null,
  /**
   * The reserved values, the other attributes as JSON, and whether the device has overrides in any context. Omits what
   * the statement does not read.
   */
  ...attributes: (string | boolean | null)[],
]

const ofDevice = ['id', 'name', 'hardware_id', 'platform', 'created']
const ofLive = ['state', 'state_since', 'last_reported']
const reserved = Array.from(reservedColumns.values())
const RESERVED_INDEX = ofDevice.length + ofLive.length
/** The index, in a row, of the attributes other than the reserved ones. */
export const ATTRIBUTES_COLUMN = RESERVED_INDEX + reserved.length
const HAS_OVERRIDES_COLUMN = ATTRIBUTES_COLUMN + 1

export const devicesAsRows = sql.raw(rowsAsArrays)

/** Attributes can be much larger than the other columns, so they are included only if the caller needs them. */
export const columnsOfDevice = (attributes: AttributesRead): readonly string[] =>
  attributes === true ? [...ofDevice, 'attributes', 'override_names'] : ofDevice

export const columnsOfLive = (attributes: AttributesRead): readonly string[] =>
  attributes === false ? ofLive : [...ofLive, ...reserved]

/** `device` and `live` are the aliases of the tables `device` and `device_live`. */
export function deviceColumns(attributes: AttributesRead, { device, live }: { device: string; live: string }) {
  const of = (alias: string, names: readonly string[]): string[] => names.map((name) => `${alias}.${name}`)
  const columns = [...of(device, ofDevice), ...of(live, columnsOfLive(attributes))]
  // The JSON is selected as a string, because the server usually sends it to the client without parsing it.
  const all = attributes === true ? [`${device}.attributes::text`, `${device}.override_names <> '{}'`] : []
  return sql.raw([...columns, ...all].join(', '))
}

export const columnsFrom = (alias: string, names: readonly string[]): RawBuilder<unknown> =>
  sql.raw(names.map((name) => `${alias}.${name}`).join(', '))

export const columnOfReserved = (subName: string): number => RESERVED_INDEX + categoryAndStatus.indexOf(subName)

/** The row must have been read with all attributes. */
export const attributesOfRow = (row: DeviceRow | readonly [...DeviceRow, unknown]): RawAttributes =>
  joinReservedRaw(row[ATTRIBUTES_COLUMN] as string, reservedGroup(row, RESERVED_INDEX))

/** The row must have been read with all attributes. */
export const hasOverrides = (row: DeviceRow): boolean => row[HAS_OVERRIDES_COLUMN] as boolean

export function readableRow<Row extends DeviceRow | readonly [...DeviceRow, unknown]>(
  viewer: Viewer,
  row: Row,
  attributes: AttributesRead,
): Row {
  if (attributes === false) return row
  const cells: unknown[] = [...row]
  for (const [index, subName] of categoryAndStatus.entries())
    if (!isReadableName(viewer, `${RESERVED_GROUP}.${subName}`)) cells[RESERVED_INDEX + index] = null
  if (attributes === true)
    cells[ATTRIBUTES_COLUMN] = JSON.stringify(readableOnly(viewer, JSON.parse(cells[ATTRIBUTES_COLUMN] as string)))
  return cells as unknown as Row
}

/** Converts a row, which can contain more columns after those of the device. */
export function toDevice(row: DeviceRow | readonly [...DeviceRow, unknown], attributes: AttributesRead): Device {
  const [id, name, hardwareId, platform, created, state, stateSince, lastReported] = row
  const device: Device = { id, name, hardwareId, platform, created, state, stateSince, lastReported }
  if (attributes === false) return device
  if (attributes === 'reserved') device.reserved = { [RESERVED_GROUP]: reservedGroup(row, RESERVED_INDEX) ?? {} }
  else device.attributes = attributesOfRow(row)
  return device
}
