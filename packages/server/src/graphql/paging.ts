import { badInput } from '../errors.ts'
import { limits } from '../limits.ts'
import { decodeCursor, encodeCursor, isCursor, type Place } from './cursor.ts'
import type { List } from './list.ts'

/** The arguments of every paged list. null means left away. */
export interface PageArguments {
  size?: number | null | undefined
  from?: number | null | undefined
  after?: string | null | undefined
  last?: string | null | undefined
}

/** Where a page starts: so many records in, behind the item with an id, or behind a place that a cursor marked. */
export type Start = { offset: number } | { afterId: string } | { afterPlace: Place }

export interface Page {
  size: number
  start: Start
}

const DEFAULT_SIZE = 100

/**
 * Reads where a page starts and how long it is. `order` names the list and its order, to which cursors are bound;
 * `firstRecord` is what `from` counts from.
 */
export function readPage(args: PageArguments, { order, firstRecord }: { order: string; firstRecord: 0 | 1 }): Page {
  const size = args.size ?? DEFAULT_SIZE
  if (size < 1 || size > limits.pageSize) throw badInput(`size must be 1 to ${limits.pageSize}, not ${size}`)
  const after = readAfter(args)
  if (after === undefined) return { size, start: { offset: readFrom(args.from, firstRecord) } }
  if (!isCursor(after.text)) return { size, start: { afterId: after.text } }
  return { size, start: { afterPlace: decodeCursor(after.text, order, after.path) } }
}

/** `after` and `last` mean the same; ids are in either case, cursors are not. */
function readAfter({ after, last }: PageArguments): { text: string; path: string } | undefined {
  if (after == null) return last == null ? undefined : { text: last, path: 'last' }
  const areSame = last == null || after === last || (!isCursor(after) && after.toLowerCase() === last.toLowerCase())
  if (!areSame) throw badInput('after and last mean the same: give one of them, or both alike')
  return { text: after, path: 'after' }
}

function readFrom(from: number | null | undefined, firstRecord: 0 | 1): number {
  const position = from ?? firstRecord
  if (position < firstRecord) {
    throw badInput(
      `from counts records from ${firstRecord}: the first page starts at ${firstRecord}, ` +
        `a page of 100 after it at ${100 + firstRecord}; found ${position}`,
    )
  }
  return position - firstRecord
}

/** A list's page from rows that were read one more than `size`, which tells whether there are more. */
export function listOf<Row, Item>(input: {
  rows: readonly Row[]
  size: number
  order: string
  placeOf: (row: Row) => Place
  toItem: (row: Row) => Item
  total: () => Promise<number>
}): List<Item> {
  const rows = input.rows.slice(0, input.size)
  const last = rows.length === 0 ? undefined : input.placeOf(rows.at(-1)!)
  return {
    items: rows.map(input.toItem),
    hasMore: input.rows.length > input.size,
    last: last?.id ?? null,
    cursor: last === undefined ? null : encodeCursor(input.order, last),
    total: input.total,
  }
}
