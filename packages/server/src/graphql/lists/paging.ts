import { type ApiError, badInput } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { decodeCursor, encodeCursor, isCursor, type Place } from './cursor.ts'

/** A page of a list. The server calls `total` only if the operation selects it. */
export interface List<Item> {
  readonly items: Item[]
  /** The database rows of `items`. */
  readonly rows: readonly unknown[]
  total: () => Promise<number>
  hasMore: boolean
  /** The ID of the page's last item, or null on an empty page. */
  last: string | null
  /** The position after the page's last item, or null on an empty page. */
  cursor: string | null
}

/** Null is equivalent to an omitted argument. */
export interface PageArguments {
  size?: number | null | undefined
  from?: number | null | undefined
  after?: string | null | undefined
  last?: string | null | undefined
}

export type Start = { offset: number } | { afterId: string } | { afterPlace: Place }

export interface Page {
  size: number
  start: Start
}

/** The error for a cursor whose contents do not belong to the list. */
export const wrongPlace = (): ApiError =>
  badInput('the cursor does not belong to this list: pass the cursor of the previous page unchanged')

const DEFAULT_SIZE = 100

/**
 * Reads and checks the arguments of a page. `order` names the list and its sort order, because a cursor is valid only
 * in that order. `firstRecord` is the `from` value of the first record.
 */
export function readPage(args: PageArguments, { order, firstRecord }: { order: string; firstRecord: 0 | 1 }): Page {
  const size = args.size ?? DEFAULT_SIZE
  if (size < 1 || size > limits.pageSize) throw badInput(`size must be from 1 to ${limits.pageSize}, not ${size}`)
  const after = readAfter(args)
  if (after === undefined) return { size, start: { offset: readFrom(args.from, firstRecord) } }
  if (!isCursor(after.text)) return { size, start: { afterId: after.text } }
  return { size, start: { afterPlace: decodeCursor(after.text, order, after.path) } }
}

export const withoutCursor = <Arguments extends PageArguments>(args: Arguments): Arguments => ({
  ...args,
  after: null,
  last: null,
})

/**
 * Returns the value and the name of `after` or `last`, which have the same meaning, or undefined if both are omitted.
 * Throws BAD_USER_INPUT if both are set, unless they are the same ID (case-insensitive) or the same cursor.
 */
function readAfter({ after, last }: PageArguments): { text: string; path: string } | undefined {
  if (after == null) return last == null ? undefined : { text: last, path: 'last' }
  const areSame = last == null || after === last || (!isCursor(after) && after.toLowerCase() === last.toLowerCase())
  if (!areSame) throw badInput('the arguments after and last have the same meaning: pass only one of them')
  return { text: after, path: 'after' }
}

function readFrom(from: number | null | undefined, firstRecord: 0 | 1): number {
  const position = from ?? firstRecord
  if (position < firstRecord)
    throw badInput(
      `from must be ${firstRecord} or more: the first page of 100 records starts at ${firstRecord}, ` +
        `and the second at ${100 + firstRecord}; found ${position}`,
    )
  return position - firstRecord
}

interface Listed<Row, Item> {
  rows: readonly Row[]
  size: number
  order: string
  placeOf: (row: Row) => Place
  toItem: (row: Row) => Item
  total: () => Promise<number>
}

/**
 * Takes up to `size` + 1 rows, because the extra row shows that another page follows. Creates the items at their first
 * use, because `graphql/written` may write them from the rows instead.
 */
export const listOf = <Row, Item>(input: Listed<Row, Item>): List<Item> => new RowList(input)

/** This is a class, because an object literal with a getter would keep the rows in memory (docs/decisions/0007). */
class RowList<Row, Item> implements List<Item> {
  readonly rows: readonly Row[]
  readonly hasMore: boolean
  readonly last: string | null
  readonly cursor: string | null
  readonly total: () => Promise<number>
  readonly #toItem: (row: Row) => Item
  #items: Item[] | undefined

  constructor({ rows, size, order, placeOf, toItem, total }: Listed<Row, Item>) {
    this.rows = rows.slice(0, size)
    this.hasMore = rows.length > size
    const last = this.rows.at(-1)
    const place = last && placeOf(last)
    this.last = place?.id ?? null
    this.cursor = place === undefined ? null : encodeCursor(order, place)
    this.total = total
    this.#toItem = toItem
  }

  get items(): Item[] {
    this.#items ??= this.rows.map(this.#toItem)
    return this.#items
  }
}
