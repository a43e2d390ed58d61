import { type RawBuilder, sql } from 'kysely'
import type { Direction } from '../lib/sort.ts'

type Sql = RawBuilder<unknown>

/** What rows are sorted by: a key, then ids in the same direction. Where a key can be missing, those rows come last. */
export interface SqlOrder {
  /** Left away: by id alone. */
  key?: Sql
  /** The id column of the table that the key stands in, for its index to serve both. */
  id: Sql
  /** The id column of another table that is joined: a comparison is not carried over to it as an equality is. */
  twinId?: Sql
  direction: Direction
  /** What is null where the key is missing, written as the predicate of the key's index has it; left away: none is. */
  nullable?: Sql
}

/** Where rows are read from. `columns` name every row's id `id`. */
export interface RowSource {
  columns: Sql
  from: Sql
  where: readonly Sql[]
}

export interface SqlPlace {
  key: string | Date | null
  id: string
}

/** How many rows to pass over, or the place to start behind. */
export type SqlStart = { offset: number } | { after: SqlPlace }

/** How many rows to pass over, of how many: a scalar that the statement itself reads. */
export interface SqlFarStart {
  offset: number
  total: Sql
}

/** People's order of text: `node-2` before `node-10`, case aside. */
export const naturally = (text: Sql): Sql => sql`${text} collate natural_order`

/**
 * Rows after which a list is planned to end, from how many are wanted. Written into the statement, one of few numbers: PostgreSQL takes
 * a LIMIT that it does not know for a tenth of the table, finds that dear, and plans the statement anew each time
 * (docs/decisions/0010). The page is cut to size around it.
 */
function plannedLimit(rows: number): Sql {
  let most = FEWEST_PLANNED
  while (most < rows) most *= 4
  return sql.lit(most)
}

const FEWEST_PLANNED = 64

export const allOf = (conditions: readonly Sql[]): Sql => sql.join([...conditions], sql` and `)

/**
 * A SELECT of `limit` rows in order from a place on, with the key of each as `sort_key`. The row comparison takes the same
 * time at any depth. Keys that are missing make two branches, each along an index; the second runs when the first ends early.
 */
export function sortedRows(source: RowSource, order: SqlOrder, start: SqlStart, limit: number): Sql {
  if ('after' in start) return cut(rowsAfter(source, order, start.after, plannedLimit(limit)), sql`limit ${limit}`)
  const { offset } = start
  // Deep in a list the walk there takes longer than to plan it.
  const last = offset === 0 ? plannedLimit(limit) : sql`${offset + limit}`
  const first = keyed(source, order, [], last)
  const rows = order.nullable === undefined ? first : inTurn(first, unkeyed(source, order, [], last))
  return cut(rows, offset === 0 ? sql`limit ${limit}` : sql`limit ${limit} offset ${offset}`)
}

/**
 * The same rows the other way round, the last one first, from the end of all rows: what lies beyond them is passed over instead of what
 * lies before. Right since the statement counts and reads the rows of one moment.
 */
export function rowsFromEnd(source: RowSource, order: SqlOrder, { offset, total }: SqlFarStart, limit: number): Sql {
  const backwards: SqlOrder = { ...order, direction: order.direction === 'asc' ? 'desc' : 'asc' }
  const left = sql`greatest(${total} - ${offset}::int, 0)`
  const passed = sql`greatest(${left} - ${limit}::int, 0)`
  const wanted = sql`least(${left}, ${limit}::int)`
  if (order.nullable === undefined) return sql`${keyed(source, backwards, [], wanted)} offset ${passed}`
  const rows = inTurn(unkeyed(source, backwards, [], left), keyed(source, backwards, [], left))
  return sql`${rows} limit ${wanted} offset ${passed}`
}

function rowsAfter(source: RowSource, order: SqlOrder, { key, id }: SqlPlace, limit: Sql): Sql {
  const beyond = sql.raw(order.direction === 'asc' ? '>' : '<')
  const ids = order.twinId === undefined ? [order.id] : [order.id, order.twinId]
  const idsBeyond = ids.map((each) => sql`${each} ${beyond} ${id}`)
  if (order.key === undefined) return keyed(source, order, idsBeyond, limit)
  if (key === null) return unkeyed(source, order, idsBeyond, limit)
  const placeBeyond = sql`(${order.key}, ${order.id}) ${beyond} (${key}, ${id})`
  if (order.nullable === undefined) return keyed(source, order, [placeBeyond], limit)
  return inTurn(keyed(source, order, [placeBeyond], limit), unkeyed(source, order, [], limit))
}

/**
 * The same from rows whose keys stand in no index: all are read, once, and the first in order kept. The key must be
 * nullable.
 */
export function scannedRows({ columns, from, where }: RowSource, order: SqlOrder, start: SqlStart, limit: number): Sql {
  const beyond = 'after' in start ? [scannedAfter(order, start.after)] : []
  const conditions = [...where, ...beyond]
  const filter = conditions.length === 0 ? sql`` : sql`where ${allOf(conditions)}`
  const towards = sql.raw(order.direction)
  return sql`select ${columns}, ${order.key} as sort_key from ${from} ${filter}
    order by ${order.key} ${towards} nulls last, ${order.id} ${towards}
    limit ${limit} offset ${'offset' in start ? start.offset : 0}`
}

function scannedAfter(order: SqlOrder, { key, id }: SqlPlace): Sql {
  const beyond = sql.raw(order.direction === 'asc' ? '>' : '<')
  if (key === null) return sql`(${order.nullable} is null and ${order.id} ${beyond} ${id})`
  return sql`((${order.key}, ${order.id}) ${beyond} (${key}, ${id}) or ${order.nullable} is null)`
}

/** Those that have a key. */
function keyed({ columns, from, where }: RowSource, order: SqlOrder, conditions: Sql[], limit: Sql): Sql {
  const key = order.key ?? sql`null::text`
  const isThere = order.nullable === undefined ? [] : [sql`${order.nullable} is not null`]
  return sql`select ${columns}, ${key} as sort_key from ${from}
    where ${allOf([...where, ...isThere, ...conditions])} order by ${orderBy(order)} limit ${limit}`
}

/** Those that have none. */
function unkeyed({ columns, from, where }: RowSource, order: SqlOrder, conditions: Sql[], limit: Sql): Sql {
  const isMissing = sql`${order.nullable} is null`
  return sql`select ${columns}, ${order.key} as sort_key from ${from}
    where ${allOf([...where, isMissing, ...conditions])} order by ${orderBy({ ...order, key: undefined })} limit ${limit}`
}

const cut = (rows: Sql, to: Sql): Sql => sql`select * from (${rows}) as page ${to}`

const inTurn = (first: Sql, second: Sql): Sql => sql`select * from ((${first}) union all (${second})) as page`

function orderBy({ key, id, direction }: Pick<SqlOrder, 'id' | 'direction'> & { key?: Sql | undefined }): Sql {
  const towards = sql.raw(direction)
  return key === undefined ? sql`${id} ${towards}` : sql`${key} ${towards}, ${id} ${towards}`
}
