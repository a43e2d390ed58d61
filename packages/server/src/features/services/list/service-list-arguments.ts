import type { ResolvedFilter } from '@muster/filter'
import type { Place, SortKey } from '../../../graphql/lists/cursor.ts'
import { type Page, type PageArguments, readPage, withoutCursor, wrongPlace } from '../../../graphql/lists/paging.ts'
import { type Direction, parseSort, readSortKeys, sortText } from '../../../lib/sort.ts'
import { type AttributeName, parseAttributeName, parseContext } from '../../attributes/attribute-name.ts'
import { parseId } from '../../devices/device-id.ts'
import { type ReadFilter, readFilter } from '../../filters/read-filter.ts'

export const serviceSortFields = ['name', 'id', 'created', 'state', 'application', 'port', 'device.name'] as const

export type ServiceField = (typeof serviceSortFields)[number]

export interface ServiceSortKey {
  by: ServiceField | AttributeName
  direction: Direction
}

/** Null is equivalent to an omitted argument. */
export interface ServicesArguments extends PageArguments {
  sortBy?: readonly string[] | null | undefined
  where?: string | null | undefined
  view?: string | null | undefined
  now?: Date | null | undefined
  /** The context in which the filter and the order read attributes. */
  context?: string | null | undefined
}

export interface ServicesSelection {
  where: ReadFilter | undefined
  /** The reference time for relative times in `where`, in milliseconds since 1970. */
  now: number
  context: string | undefined
  /** The filter for the devices that the caller can reach. Undefined means all devices. */
  inside?: ResolvedFilter
}

export interface ServiceListRequest {
  selection: ServicesSelection
  keys: readonly ServiceSortKey[]
  /** A string that identifies the sort order. A cursor is valid only for the order for which the server created it. */
  order: string
  page: Page
}

const DEFAULT_SORT = ['device.name', 'name']

/** If `args.view` is set, ignores `after` and `last`, because a cursor belongs to an order that the view may define. */
export function readServicesArguments(args: ServicesArguments, firstRecord: 0 | 1): ServiceListRequest {
  const context = parseContext(args.context, 'context')
  const where =
    args.where == null
      ? undefined
      : readFilter(args.where, { kind: 'service', path: 'where', hasContext: context !== undefined })
  const keys = readSortKeys(args.sortBy ?? DEFAULT_SORT, (text, path) => {
    const parsed = parseSort(text, serviceSortFields, path)
    const { direction } = parsed
    if ('field' in parsed) return { by: parsed.field, direction, text: sortText(parsed) }
    const by = parseAttributeName(parsed.attribute, path)
    return { by, direction, text: `${sortText(parsed)} ${JSON.stringify(context ?? null)}` }
  })
  const order = `services ${keys.map(({ text }) => text).join(', ')}`
  return {
    selection: { where, now: (args.now ?? new Date()).getTime(), context },
    keys: keys.map(({ by, direction }) => ({ by, direction })),
    order,
    page: readPage(args.view == null ? args : withoutCursor(args), { order, firstRecord }),
  }
}

type KeyType = 'text' | 'time' | 'number'

const typeOfKey: Record<ServiceField, KeyType> = {
  name: 'text',
  id: 'text',
  created: 'time',
  state: 'text',
  application: 'number',
  port: 'number',
  'device.name': 'text',
}

export const isNullableKey = ({ by }: ServiceSortKey): boolean => typeof by !== 'string' || by === 'port'

/** Returns a position with its sort keys as database values. Rejects values that only a forged cursor can contain. */
export function servicePlace(
  keys: readonly ServiceSortKey[],
  { key, id }: Place,
): { keys: (string | number | Date | null)[]; id: string } {
  if (parseId(id) !== id || !Array.isArray(key) || key.length !== keys.length) throw wrongPlace()
  return { keys: keys.map((each, index) => databaseKey(each, (key as readonly SortKey[])[index]!)), id }
}

function databaseKey(sortKey: ServiceSortKey, key: SortKey): string | number | Date | null {
  if (key === null && isNullableKey(sortKey)) return null
  const type = typeof sortKey.by === 'string' ? typeOfKey[sortKey.by] : 'text'
  if (type === 'text' && typeof key === 'string') return key
  if (type === 'number' && typeof key === 'number' && Math.abs(key) < 2 ** 31) return key
  if (type === 'time' && typeof key === 'number' && !Number.isNaN(new Date(key).getTime())) return new Date(key)
  throw wrongPlace()
}
