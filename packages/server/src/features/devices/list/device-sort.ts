import { badInput } from '../../../errors.ts'
import type { Place } from '../../../graphql/lists/cursor.ts'
import { type Direction, parseSort, sortText } from '../../../lib/sort.ts'
import { type AttributeName, parseAttributeName } from '../../attributes/attribute-name.ts'
import { parseId } from '../device-id.ts'

const fields = ['name', 'id', 'created', 'hardwareId', 'platform', 'state', 'lastReported'] as const

export type DeviceField = (typeof fields)[number]

/** The sort key of a list of devices. */
export interface DeviceOrder {
  by: DeviceField | AttributeName
  direction: Direction
  /** The context in which the sort reads the attribute; undefined for the base value. */
  context: string | undefined
  /** A string that identifies the order. A cursor is valid only for the order that created it. */
  text: string
}

const DEFAULT_SORT = 'name asc'

export function readDeviceOrder(sort: string | null | undefined, context: string | undefined): DeviceOrder {
  const parsed = parseSort(sort ?? DEFAULT_SORT, fields)
  const { direction } = parsed
  if ('field' in parsed) return { by: parsed.field, direction, context: undefined, text: `devices ${sortText(parsed)}` }
  const by = parseAttributeName(parsed.attribute, 'sort')
  const text = `devices ${sortText(parsed)} ${JSON.stringify(context ?? null)}`
  return { by, direction, context, text }
}

/** The type of each field's sort key. A list by ID needs no key other than the ID. */
const kindOfKey: Record<DeviceField, 'text' | 'time' | 'none'> = {
  name: 'text',
  id: 'none',
  created: 'time',
  hardwareId: 'text',
  platform: 'text',
  state: 'text',
  lastReported: 'time',
}

/** Whether the order's keys are times. */
export const isByTime = ({ by }: DeviceOrder): boolean => isField(by) && kindOfKey[by] === 'time'

const isField = (by: DeviceOrder['by']): by is DeviceField => typeof by === 'string'

/** Whether devices can lack a key in this order. */
export const isNullable = ({ by }: DeviceOrder): boolean =>
  !isField(by) || by === 'hardwareId' || by === 'platform' || by === 'lastReported'

/** Converts a position for comparison in the database. Rejects values that only a forged cursor can contain. */
export function databasePlace(order: DeviceOrder, { key, id }: Place): { key: string | Date | null; id: string } {
  const kind = isField(order.by) ? kindOfKey[order.by] : 'text'
  const isMissing = key === null && (kind === 'none' || isNullable(order))
  if (parseId(id) === id) {
    if (isMissing) return { key: null, id }
    if (kind === 'text' && typeof key === 'string') return { key, id }
    if (kind === 'time' && typeof key === 'number' && isTime(key)) return { key: new Date(key), id }
  }
  throw badInput('after must be an ID or a cursor from the previous page')
}

/** Accepts years 1 to 9999, like the rest of the API. */
const isTime = (milliseconds: number): boolean =>
  milliseconds >= -62_135_596_800_000 && milliseconds < 253_402_300_800_000
