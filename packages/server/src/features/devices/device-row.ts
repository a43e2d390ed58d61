import { type RawBuilder, sql } from 'kysely'
import { type Attributes, joinReserved, type ReservedValues, reservedColumns } from '../attributes/attributes.ts'
import type { Device, State } from './device.ts'

/** What is read of `device d` and `device_live l` for a device. */
export interface DeviceRow {
  id: string
  name: string
  hardware_id: string | null
  platform: string | null
  created: Date
  state: State
  state_since: Date
  last_reported: Date | null
  attributes?: Attributes
}

/** What is read of a device's attributes: all, none, or the reserved ones, which stand in columns of their own. */
export type AttributesRead = boolean | 'reserved'

const ofDevice = ['id', 'name', 'hardware_id', 'platform', 'created']
const ofLive = ['state', 'state_since', 'last_reported']
const reserved = Array.from(reservedColumns.values())

const columnsOf = (alias: string, names: readonly string[]): RawBuilder<unknown> =>
  sql.raw(names.map((name) => `${alias}.${name}`).join(', '))

/** Attributes may take many times what the rest takes: they are read where a document asks for them. */
export const deviceColumns = (attributes: AttributesRead): RawBuilder<unknown> =>
  columnsOf('d', attributes === true ? [...ofDevice, 'attributes'] : ofDevice)

export const liveColumns = (attributes: AttributesRead): RawBuilder<unknown> =>
  columnsOf('l', attributes !== false ? [...ofLive, ...reserved] : ofLive)

export function toDevice(row: DeviceRow): Device {
  const device: Device = {
    id: row.id,
    name: row.name,
    hardwareId: row.hardware_id,
    platform: row.platform,
    created: row.created,
    state: row.state,
    stateSince: row.state_since,
    lastReported: row.last_reported,
  }
  const values = row as unknown as ReservedValues
  if (row.attributes !== undefined) device.attributes = joinReserved(row.attributes, values)
  else if (values.category_a !== undefined) device.reserved = joinReserved({}, values)
  return device
}
