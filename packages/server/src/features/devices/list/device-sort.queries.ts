import { type RawBuilder, sql } from 'kysely'
import { sortable, valueIn } from '../../../db/attribute-expressions.ts'
import { naturally, type SqlOrder } from '../../../db/sorted-page.ts'
import { type AttributeName, RESERVED_GROUP } from '../../attributes/attribute-name.ts'
import { reservedColumns } from '../../attributes/attributes.ts'
import type { DeviceField, DeviceOrder } from './device-sort.ts'

type Sql = RawBuilder<unknown>

/** The tables that an expression reads: `device d`, `device_live l`, and the overrides `o` of a context. */
export interface Reads {
  device: boolean
  live: boolean
  context: string | undefined
}

/** A device's key in an order, and the columns that are in the same index. */
export interface DeviceKey extends Pick<SqlOrder, 'key' | 'nullable' | 'id'> {
  reads: Reads
  /** Whether the key has no index and is computed for every device. */
  isComputed: boolean
  /** Set if the key depends only on this name in the attributes of `device d`. */
  attribute?: AttributeName
}

const ofDevice = { id: sql`d.id`, isComputed: false, reads: { device: true, live: false, context: undefined } }
const ofLive = { id: sql`l.device_id`, isComputed: false, reads: { device: false, live: true, context: undefined } }

/** Each expression must be the same as in its index. */
const fieldKeys: Record<DeviceField, DeviceKey> = {
  id: ofDevice,
  name: { ...ofDevice, key: naturally(sql`d.name`) },
  created: { ...ofDevice, key: sql`d.created` },
  hardwareId: { ...ofDevice, key: naturally(sql`d.hardware_id`), nullable: sql`d.hardware_id` },
  platform: { ...ofDevice, key: naturally(sql`d.platform`), nullable: sql`d.platform` },
  state: { ...ofLive, key: sql`l.state` },
  lastReported: { ...ofLive, key: sql`l.last_reported`, nullable: sql`l.last_reported` },
}

export function keyOf({ by, context }: DeviceOrder): DeviceKey {
  if (typeof by === 'string') return fieldKeys[by]
  const value = valueAt(by, context)
  const key = naturally(sortable(value))
  const isReserved = reservedColumn(by) !== undefined
  if (isReserved && context === undefined) return { ...ofLive, key, nullable: value }
  const reads = { device: true, live: isReserved, context }
  const isPlain = !isReserved && context === undefined
  return { ...ofDevice, isComputed: true, key, nullable: value, reads, ...(isPlain && { attribute: by }) }
}

/** The column of device_live that contains a reserved value. */
export function reservedColumn([group, subName]: AttributeName): Sql | undefined {
  const column = group === RESERVED_GROUP && subName !== undefined ? reservedColumns.get(subName) : undefined
  return column === undefined ? undefined : sql.ref(`l.${column}`)
}

/** A device's value of a name as read in a context. */
export function valueAt(name: AttributeName, context: string | undefined): Sql {
  const base = reservedColumn(name) ?? valueIn(sql`d.attributes`, name)
  return context === undefined ? base : sql`coalesce(${valueIn(sql`o.attributes`, name)}, ${base})`
}
