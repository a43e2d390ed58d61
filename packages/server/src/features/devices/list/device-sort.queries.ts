import { type RawBuilder, sql } from 'kysely'
import { sortable, valueIn } from '../../../db/attribute-expressions.ts'
import { naturally } from '../../../db/natural-order.ts'
import type { SqlKey, SqlOrder } from '../../../db/sorted-page.ts'
import { type AttributeName, RESERVED_GROUP } from '../../attributes/attribute-name.ts'
import { reservedColumns } from '../../attributes/attributes.ts'
import { type DeviceField, type DeviceSortKey, isByTime, isNullable } from './device-sort.ts'

type Sql = RawBuilder<unknown>

/** The tables that an expression reads: `device d`, `device_live l`, and the overrides `o` of a context. */
export interface Reads {
  device: boolean
  live: boolean
  context: string | undefined
}

/** If the key has an index, the index contains both the key and the ID. */
export interface DeviceKey extends Pick<SqlOrder, 'key' | 'nullable' | 'id'> {
  reads: Reads
  /** A scan computes this value in a subquery with `OFFSET 0`. Omitted for a list by ID. */
  value?: Sql
  /** True if the key has no index, so that the statement must compute it for every matching device. */
  isComputed: boolean
  /** Present if the key depends only on the attribute's base value in `device d`. */
  attribute?: AttributeName
}

const ofDevice = { id: sql`d.id`, isComputed: false, reads: { device: true, live: false, context: undefined } }
const ofLive = { id: sql`l.device_id`, isComputed: false, reads: { device: false, live: true, context: undefined } }

/** PostgreSQL uses an index only for its exact expression, so each key must equal the expression of its index. */
const fieldKeys: Record<DeviceField, DeviceKey> = {
  id: ofDevice,
  name: { ...ofDevice, key: naturally(sql`d.name`), value: sql`d.name` },
  created: { ...ofDevice, key: sql`d.created`, value: sql`d.created` },
  hardwareId: {
    ...ofDevice,
    key: naturally(sql`d.hardware_id`),
    nullable: sql`d.hardware_id`,
    value: sql`d.hardware_id`,
  },
  platform: { ...ofDevice, key: naturally(sql`d.platform`), nullable: sql`d.platform`, value: sql`d.platform` },
  state: { ...ofLive, key: sql`l.state`, value: sql`l.state` },
  lastReported: { ...ofLive, key: sql`l.last_reported`, nullable: sql`l.last_reported`, value: sql`l.last_reported` },
}

export function keyOf({ by, context }: DeviceSortKey): DeviceKey {
  if (typeof by === 'string') return fieldKeys[by]
  const value = valueAt(by, context)
  const key = naturally(sortable(value))
  const isReserved = reservedColumn(by) !== undefined
  if (isReserved && context === undefined) return { ...ofLive, key, nullable: value, value: sortable(value) }
  const reads = { device: true, live: isReserved, context }
  const isPlain = !isReserved && context === undefined
  const computed = { isComputed: true, key, nullable: value, value: sortable(value), reads }
  return { ...ofDevice, ...computed, ...(isPlain && { attribute: by }) }
}

/** Returns the key for a column that contains `DeviceKey.value`. */
export const keyFromValue = (order: DeviceSortKey, value: Sql): Sql =>
  order.by === 'state' || order.by === 'id' || isByTime(order) ? value : naturally(value)

export function sqlKeyOf(order: DeviceSortKey): SqlKey {
  const { key, value } = keyOf(order)
  if (key === undefined || value === undefined) return { ...idKey, direction: order.direction }
  const json = isByTime(order) ? sql`(extract(epoch from ${value}) * 1000)::bigint` : value
  return { key, json, direction: order.direction, isNullable: isNullable(order) }
}

const idKey = { key: sql`d.id`, json: sql`d.id`, isNullable: false }

/** Returns undefined for an attribute that is not reserved. */
export function reservedColumn([group, subName]: AttributeName): Sql | undefined {
  const column = group === RESERVED_GROUP && subName !== undefined ? reservedColumns.get(subName) : undefined
  return column === undefined ? undefined : sql.ref(`l.${column}`)
}

export function valueAt(name: AttributeName, context: string | undefined): Sql {
  const base = reservedColumn(name) ?? valueIn(sql`d.attributes`, name)
  return context === undefined ? base : sql`coalesce(${valueIn(sql`o.attributes`, name)}, ${base})`
}
