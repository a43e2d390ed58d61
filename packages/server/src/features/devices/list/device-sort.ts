import type { SqlStart, SqlStartByKeys } from '../../../db/sorted-page.ts'
import type { Place, SortKey } from '../../../graphql/lists/cursor.ts'
import { wrongPlace } from '../../../graphql/lists/paging.ts'
import { type Direction, parseSort, readSortKeys, sortText } from '../../../lib/sort.ts'
import { type AttributeName, parseAttributeName } from '../../attributes/attribute-name.ts'
import { parseId } from '../device-id.ts'

export const deviceSortFields = ['name', 'id', 'created', 'hardwareId', 'platform', 'state', 'lastReported'] as const

export type DeviceField = (typeof deviceSortFields)[number]

export interface DeviceSortKey {
  by: DeviceField | AttributeName
  direction: Direction
  /** Undefined means the base value. */
  context: string | undefined
}

export interface DeviceOrder extends DeviceSortKey {
  further: readonly DeviceSortKey[]
  /** Identifies the order in cursors. A cursor is valid only in the order for which the server created it. */
  text: string
}

/** A list by name uses the name as its key, and a list by ID needs no key. */
export const isKeyInRow = ({ by, further }: DeviceOrder): boolean =>
  further.length === 0 && (by === 'name' || by === 'id')

const DEFAULT_SORT = 'name asc'

export function readDeviceOrder(sort: string | null | undefined, context: string | undefined): DeviceOrder {
  const { text, ...key } = readSortKey(sort ?? DEFAULT_SORT, { path: 'sort', context })
  return { ...key, further: [], text: `devices ${text}` }
}

/** A `sortBy` with a single key is equivalent to `sort`. */
export function readDeviceOrders(sortBy: readonly string[], context: string | undefined): DeviceOrder {
  const keys = readSortKeys(sortBy, (text, path) => readSortKey(text, { path, context }))
  const [first, ...further] = keys.map(({ text: _, ...key }) => key)
  return { ...first!, further, text: `devices ${keys.map(({ text }) => text).join(', ')}` }
}

function readSortKey(
  sort: string,
  { path, context }: { path: string; context: string | undefined },
): DeviceSortKey & { text: string } {
  const parsed = parseSort(sort, deviceSortFields, path)
  const { direction } = parsed
  if ('field' in parsed) return { by: parsed.field, direction, context: undefined, text: sortText(parsed) }
  const by = parseAttributeName(parsed.attribute, path)
  return { by, direction, context, text: `${sortText(parsed)} ${JSON.stringify(context ?? null)}` }
}

/** `none` means that the list needs no key other than the ID. */
const kindOfKey: Record<DeviceField, 'text' | 'time' | 'none'> = {
  name: 'text',
  id: 'none',
  created: 'time',
  hardwareId: 'text',
  platform: 'text',
  state: 'text',
  lastReported: 'time',
}

export const isByTime = ({ by }: DeviceSortKey): boolean => isField(by) && kindOfKey[by] === 'time'

const isField = (by: DeviceSortKey['by']): by is DeviceField => typeof by === 'string'

export const isNullable = ({ by }: DeviceSortKey): boolean =>
  !isField(by) || by === 'hardwareId' || by === 'platform' || by === 'lastReported'

/** Rejects values that only a forged cursor can contain. */
export const startAfter = (order: DeviceOrder, place: Place): SqlStart | SqlStartByKeys =>
  order.further.length > 0 ? { afterKeys: databasePlaces(order, place) } : { after: databasePlace(order, place) }

export function databasePlace(order: DeviceOrder, { key, id }: Place): { key: string | Date | null; id: string } {
  if (parseId(id) !== id || Array.isArray(key)) throw wrongPlace()
  return { key: databaseKey(order, key as SortKey), id }
}

function databasePlaces(order: DeviceOrder, { key, id }: Place): { keys: (string | Date | null)[]; id: string } {
  const orders: readonly DeviceSortKey[] = [order, ...order.further]
  if (parseId(id) !== id || !Array.isArray(key) || key.length !== orders.length) throw wrongPlace()
  return { keys: orders.map((each, index) => databaseKey(each, (key as readonly SortKey[])[index]!)), id }
}

function databaseKey(order: DeviceSortKey, key: SortKey): string | Date | null {
  const kind = isField(order.by) ? kindOfKey[order.by] : 'text'
  if (key === null && (kind === 'none' || isNullable(order))) return null
  if (kind !== 'time' && typeof key === 'string') return key
  if (kind === 'time' && typeof key === 'number' && isTime(key)) return new Date(key)
  throw wrongPlace()
}

/** Accepts years from 1 to 9999, like the rest of the API. */
const isTime = (milliseconds: number): boolean =>
  milliseconds >= -62_135_596_800_000 && milliseconds < 253_402_300_800_000
