import { type RawBuilder, sql } from 'kysely'
import { rowsAsArrays } from '../../db/database.ts'
import type { StoredTime } from '../../db/types.ts'
import { RESERVED_GROUP } from '../attributes/attribute-name.ts'
import { joinReservedRaw, reservedColumns, reservedGroup } from '../attributes/attributes.ts'
import type { Device, State } from './device.ts'

/** What is read of a device's attributes: all, none, or the reserved ones, which stand in columns of their own. */
export type AttributesRead = boolean | 'reserved'

/** What is read for a device, in the order of `deviceColumns`: a list has thousands of rows, and none needs names. */
export type DeviceRow = readonly [
  id: string,
  name: string,
  hardwareId: string | null,
  platform: string | null,
  created: StoredTime,
  state: State,
  stateSince: StoredTime | null,
  lastReported: StoredTime | null,
  /** The reserved values, and then the others as JSON, as far as they are read. */
  ...attributes: (string | null)[],
]

const ofDevice = ['id', 'name', 'hardware_id', 'platform', 'created']
const ofLive = ['state', 'state_since', 'last_reported']
const reserved = Array.from(reservedColumns.values())
const RESERVED_FROM = ofDevice.length + ofLive.length
const ATTRIBUTES_AT = RESERVED_FROM + reserved.length

/** Begins a statement that selects `deviceColumns`. */
export const devicesAsRows = sql.raw(rowsAsArrays)

/** What is read of `device` for a row. Attributes may take many times what the rest takes: they are read where a document asks for them. */
export const columnsOfDevice = (attributes: AttributesRead): readonly string[] =>
  attributes === true ? [...ofDevice, 'attributes'] : ofDevice

/** What is read of `device_live` for a row. */
export const columnsOfLive = (attributes: AttributesRead): readonly string[] =>
  attributes === false ? ofLive : [...ofLive, ...reserved]

/** The columns of a row, from whatever stands for either table. */
export function deviceColumns(attributes: AttributesRead, { device, live }: { device: string; live: string }) {
  const of = (alias: string, names: readonly string[]): string[] => names.map((name) => `${alias}.${name}`)
  const columns = [...of(device, ofDevice), ...of(live, columnsOfLive(attributes))]
  // As text: it goes out as the database writes it.
  return sql.raw([...columns, ...(attributes === true ? [`${device}.attributes::text`] : [])].join(', '))
}

/** Columns by the alias of their table. */
export const columnsFrom = (alias: string, names: readonly string[]): RawBuilder<unknown> =>
  sql.raw(names.map((name) => `${alias}.${name}`).join(', '))

/** `row` may go on behind what is a device's. */
export function toDevice(row: DeviceRow | readonly [...DeviceRow, unknown], attributes: AttributesRead): Device {
  const device: Device = {
    id: row[0],
    name: row[1],
    hardwareId: row[2],
    platform: row[3],
    created: row[4],
    state: row[5],
    stateSince: row[6],
    lastReported: row[7],
  }
  if (attributes === false) return device
  const group = reservedGroup(row, RESERVED_FROM)
  if (attributes === 'reserved') device.reserved = { [RESERVED_GROUP]: group ?? {} }
  else device.attributes = joinReservedRaw(row[ATTRIBUTES_AT] as string, group)
  return device
}
