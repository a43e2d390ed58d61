import { type RawBuilder, sql } from 'kysely'
import type { Direction } from '../lib/sort.ts'

/**
 * Sorts missing keys last. Omits `nulls last` if the key is never null, because PostgreSQL cannot use a backward scan
 * of an ascending index for `desc nulls last`.
 */
export const missingLast = (key: RawBuilder<unknown>, direction: Direction, isNullable = true): RawBuilder<unknown> =>
  sql`${key} ${sql.raw(isNullable ? `${direction} nulls last` : direction)}`

type Sql = RawBuilder<unknown>

/** The order of rows: by a key, then by ID in the same direction. Rows without a key come last. */
export interface SqlOrder {
  /** The sort key. If omitted, rows are ordered only by ID. */
  key?: Sql
  /** The ID column of the table that contains the key, so that the key's index covers both columns. */
  id: Sql
  /**
   * The column of a joined table that equals `id`. The statement also compares this column with the start position,
   * because PostgreSQL infers only equality for it, not `<` or `>`.
   */
  twinId?: Sql
  direction: Direction
  /** SQL that is null if the key is missing, as in the key's index predicate. If omitted, every row has a key. */
  nullable?: Sql
}

/** `columns` must include the row's ID as `id`. */
export interface RowSource {
  columns: Sql
  /** Whether to add the key as `sort_key`. The default is true. */
  hasKey?: boolean
  from: Sql
  where: readonly Sql[]
}

export interface SqlPlace {
  key: string | Date | null
  id: string
}

export interface SqlKey {
  /** The expression that the statement sorts by and compares. */
  key: Sql
  /** The key as JSON for the cursor, with times in milliseconds since 1970. */
  json: Sql
  direction: Direction
  isNullable: boolean
}

/** A row's position in an order by several keys: the values of all keys, and the row's ID. */
export interface SqlPlaceByKeys {
  keys: readonly (string | number | Date | null)[]
  id: string
}

export type SqlStartByKeys = { offset: number } | { afterKeys: SqlPlaceByKeys }

/** The number of rows to skip, or the place to start after. */
export type SqlStart = { offset: number } | { after: SqlPlace }

/** The number of rows to skip, and a scalar expression that reads the total number of rows in the same statement. */
export interface SqlFarStart {
  offset: number
  total: Sql
}

/**
 * Rounds the limit up to one of a few literal values, unless it exceeds all of them. If LIMIT were a parameter, the
 * generic plan would assume a tenth of the rows. That plan would seem expensive, so PostgreSQL would plan the statement
 * at each execution (docs/decisions/0010).
 */
const plannedLimit = (rows: number): number => PLANNED_LIMITS.find((limit) => limit >= rows) ?? rows

/** The usual page sizes, plus one: a statement reads one more row to find out whether another page follows. */
const PLANNED_LIMITS = [51, 101, 251, 1001]

export const allOf = (conditions: readonly Sql[]): Sql => sql.join([...conditions], sql` and `)

/**
 * Returns the SELECT for a page. If rows with and without a key can be on the page, the SELECT has two branches. The
 * second branch runs only if the first returns too few rows.
 */
export function sortedRows(source: RowSource, order: SqlOrder, start: SqlStart, limit: number): Sql {
  const planned = plannedLimit(limit)
  if ('after' in start)
    return withOuterLimit(rowsAfter(source, order, start.after, sql.lit(planned)), sql`limit ${limit}`)
  const { offset } = start
  // With an offset, PostgreSQL may spend more time skipping rows than planning the statement, so the limit is exact.
  const last = offset === 0 ? sql.lit(planned) : sql`${offset + limit}`
  const first = keyed(source, order, [], last)
  if (offset === 0 && limit === planned && order.nullable === undefined) return first
  const rows = order.nullable === undefined ? first : concatenate(first, unkeyed(source, order, [], last))
  return withOuterLimit(rows, offset === 0 ? sql`limit ${limit}` : sql`limit ${limit} offset ${offset}`)
}

/**
 * Reads backward from the end of the list, so PostgreSQL skips the rows after the page instead of those before it. The
 * rows are in reverse order. The statement counts and reads rows in one snapshot.
 */
export function rowsFromEnd(source: RowSource, order: SqlOrder, { offset, total }: SqlFarStart, limit: number): Sql {
  const backwards: SqlOrder = { ...order, direction: order.direction === 'asc' ? 'desc' : 'asc' }
  const remaining = sql`greatest(${total} - ${offset}::int, 0)`
  const skipped = sql`greatest(${remaining} - ${limit}::int, 0)`
  const wanted = sql`least(${remaining}, ${limit}::int)`
  if (order.nullable === undefined) return sql`${keyed(source, backwards, [], wanted)} offset ${skipped}`
  const rows = concatenate(unkeyed(source, backwards, [], remaining), keyed(source, backwards, [], remaining))
  return sql`${rows} limit ${wanted} offset ${skipped}`
}

function rowsAfter(source: RowSource, order: SqlOrder, { key, id }: SqlPlace, limit: Sql): Sql {
  const beyond = sql.raw(order.direction === 'asc' ? '>' : '<')
  const ids = order.twinId === undefined ? [order.id] : [order.id, order.twinId]
  const idsBeyond = ids.map((each) => sql`${each} ${beyond} ${id}`)
  if (order.key === undefined) return keyed(source, order, idsBeyond, limit)
  if (key === null) return unkeyed(source, order, idsBeyond, limit)
  const placeBeyond = sql`(${order.key}, ${order.id}) ${beyond} (${key}, ${id})`
  if (order.nullable === undefined) return keyed(source, order, [placeBeyond], limit)
  return concatenate(keyed(source, order, [placeBeyond], limit), unkeyed(source, order, [], limit))
}

/** Returns a statement that reads all rows once, sorts them, and returns a page of them. The key must be nullable. */
export function scannedRows({ columns, from, where }: RowSource, order: SqlOrder, start: SqlStart, limit: number): Sql {
  const beyond = 'after' in start ? [scannedAfter(order, start.after)] : []
  const conditions = [...where, ...beyond]
  const filter = conditions.length === 0 ? sql`` : sql`where ${allOf(conditions)}`
  const towards = sql.raw(order.direction)
  return sql`select ${columns}, ${order.key} as sort_key from ${from} ${filter}
    order by ${missingLast(order.key!, order.direction)}, ${order.id} ${towards}
    limit ${limit} offset ${'offset' in start ? start.offset : 0}`
}

function scannedAfter(order: SqlOrder, { key, id }: SqlPlace): Sql {
  const beyond = sql.raw(order.direction === 'asc' ? '>' : '<')
  if (key === null) return sql`(${order.nullable} is null and ${order.id} ${beyond} ${id})`
  return sql`((${order.key}, ${order.id}) ${beyond} (${key}, ${id}) or ${order.nullable} is null)`
}

/**
 * Returns a statement that reads one page of rows, sorted by several keys. Only the first key can have an index. `id`
 * breaks ties, in the direction of the last key. The column `sort_key` is a JSON array of the row's keys, as text.
 */
export function rowsByKeys(
  { columns, from, where }: RowSource,
  { keys, id }: { keys: readonly SqlKey[]; id: Sql },
  start: SqlStartByKeys,
  limit: number,
): Sql {
  const beyond = 'afterKeys' in start ? [afterKeys({ keys, id }, start.afterKeys)] : []
  const last = sql.raw(keys.at(-1)!.direction)
  const order = keys.map(({ key, direction, isNullable }) => missingLast(key, direction, isNullable))
  return sql`select ${columns}, jsonb_build_array(${sql.join(keys.map(({ json }) => json))})::text as sort_key
    from ${from} where ${allOf([...where, ...beyond])} order by ${sql.join(order)}, ${id} ${last}
    limit ${limit} offset ${'offset' in start ? start.offset : 0}`
}

function afterKeys({ keys, id }: { keys: readonly SqlKey[]; id: Sql }, place: SqlPlaceByKeys): Sql {
  const isLater = (direction: Direction): Sql => sql.raw(direction === 'asc' ? '>' : '<')
  const equal = keys.map(({ key }, index) =>
    place.keys[index] === null ? sql`${key} is null` : sql`${key} = ${place.keys[index]}`,
  )
  const branches = keys.map(({ key, direction, isNullable }, index) => {
    const value = place.keys[index]
    // Missing values come last, so no value of this key follows a missing one.
    if (value === null) return sql`false`
    const later = sql`${key} ${isLater(direction)} ${value}`
    return allOf([...equal.slice(0, index), isNullable ? sql`(${later} or ${key} is null)` : later])
  })
  branches.push(allOf([...equal, sql`${id} ${isLater(keys.at(-1)!.direction)} ${place.id}`]))
  const first = keys[0]!
  // With this redundant condition, a scan of an index on the first key can begin at the start position.
  const bound = first.isNullable ? sql`` : sql`${first.key} ${isLater(first.direction)}= ${place.keys[0]} and `
  return sql`${bound}(${sql.join(
    branches.map((each) => sql`(${each})`),
    sql` or `,
  )})`
}

function keyed(source: RowSource, order: SqlOrder, conditions: Sql[], limit: Sql): Sql {
  const isPresent = order.nullable === undefined ? [] : [sql`${order.nullable} is not null`]
  return sql`select ${columnsWithKey(source, order)} from ${source.from}
    where ${allOf([...source.where, ...isPresent, ...conditions])} order by ${orderBy(order)} limit ${limit}`
}

const columnsWithKey = ({ columns, hasKey = true }: RowSource, { key = sql`null::text` }: SqlOrder): Sql =>
  hasKey ? sql`${columns}, ${key} as sort_key` : columns

function unkeyed(source: RowSource, order: SqlOrder, conditions: Sql[], limit: Sql): Sql {
  const { from, where } = source
  const isMissing = sql`${order.nullable} is null`
  return sql`select ${columnsWithKey(source, order)} from ${from}
    where ${allOf([...where, isMissing, ...conditions])} order by ${orderBy({ ...order, key: undefined })} limit ${limit}`
}

const withOuterLimit = (rows: Sql, to: Sql): Sql => sql`select * from (${rows}) as page ${to}`

const concatenate = (first: Sql, second: Sql): Sql => sql`select * from ((${first}) union all (${second})) as page`

function orderBy({ key, id, direction }: Pick<SqlOrder, 'id' | 'direction'> & { key?: Sql | undefined }): Sql {
  const towards = sql.raw(direction)
  return key === undefined ? sql`${id} ${towards}` : sql`${key} ${towards}, ${id} ${towards}`
}

/**
 * Returns a condition that is true if the column has one of the values. A single value is compared with `=`, because
 * PostgreSQL would plan a statement with an array of one value at each execution (docs/decisions/0010).
 */
export const isAnyOf = (column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<unknown> =>
  values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${values})`
