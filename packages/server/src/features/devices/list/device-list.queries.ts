import { type RawBuilder, sql } from 'kysely'
import { sortableFrom, textIn } from '../../../db/attribute-expressions.ts'
import { type Database, plannedEachTime } from '../../../db/database.ts'
import {
  allOf,
  rowsByKeys,
  rowsFromEnd,
  type SqlPlace,
  type SqlStart,
  type SqlStartByKeys,
  scannedRows,
  sortedRows,
} from '../../../db/sorted-page.ts'
import { cacheStatements } from '../../../db/statement-cache.ts'
import { deviceCount } from '../device-count.queries.ts'
import {
  type AttributesRead,
  columnsFrom,
  columnsOfDevice,
  columnsOfLive,
  type DeviceRow,
  deviceColumns,
  devicesAsRows,
} from '../device-row.ts'
import { sqlFilter } from './device-filter.queries.ts'
import type { DeviceFilter } from './device-filter.ts'
import { type DeviceKey, keyFromValue, keyOf, type Reads, sqlKeyOf } from './device-sort.queries.ts'
import { type DeviceOrder, isKeyInRow } from './device-sort.ts'

type Sql = RawBuilder<unknown>

/** The sort key is omitted if another column of the row already contains it. */
export type ListedDeviceRow = readonly [...DeviceRow, sortKey: string | null] | DeviceRow

/** `fromEnd` means that the page is read from the list's end, if the order has an index. There must be no filter. */
export type DeviceStart = SqlStart & { fromEnd?: boolean }

/**
 * Without an index for the filter, PostgreSQL cannot know which way is faster: reading the list in order until the page
 * is full, or reading all devices. `planned` leaves the choice to PostgreSQL. `walk` reads at most `walked` devices in
 * the order of the list. `scan` reads all matches and sorts them.
 */
export type Search = 'planned' | 'walk' | 'scan'

/** The default maximum number of devices that a walk reads. */
export const WALKED = 20_000
/** From this page size on, reading the devices of the page again takes longer than passing on the columns of a scan. */
const PASSED_ON = 500

export interface DevicePageQuery {
  filter: DeviceFilter
  order: DeviceOrder
  start: DeviceStart | SqlStartByKeys
  limit: number
  attributes: AttributesRead
  /** The default is `planned`. */
  search?: Search
  /** The maximum number of devices that a walk reads. The default is `WALKED`. */
  walked?: number
}

export async function selectDevicePage(
  db: Database,
  accountId: string,
  page: DevicePageQuery,
): Promise<ListedDeviceRow[]> {
  const shape = shapeOf(page)
  if (shape === undefined) return (await pageStatement(accountId, page).execute(db)).rows
  const after = 'after' in page.start ? page.start.after : undefined
  return runCached(db, shape, { accountId, key: after?.key ?? null, id: after?.id ?? '' }, ({ accountId, key, id }) =>
    pageStatement(
      accountId,
      after === undefined ? page : { ...page, start: { after: { key: after.key === null ? null : key, id } } },
    ),
  )
}

const pageStatement = (accountId: string, page: DevicePageQuery) =>
  sql<ListedDeviceRow>`${planning(page.filter)}${devicesAsRows}${devicePageSql(accountId, page)}`

const MAX_CACHED = 500
const runCached = cacheStatements<ListedDeviceRow, { accountId: string } & Pick<SqlPlace, 'key' | 'id'>>(MAX_CACHED)

/**
 * Returns the key under which the page's statement is cached. Returns undefined for pages whose statements differ too
 * much to be cached. These pages have a filter, an offset above 0, or an order by an attribute or by several keys.
 */
function shapeOf({ filter, order, start, limit, attributes, search }: DevicePageQuery): string | undefined {
  const { by, direction, further } = order
  const isPosition = 'afterKeys' in start || ('offset' in start && start.offset > 0)
  if (Object.keys(filter).length > 0 || typeof by !== 'string' || further.length > 0 || isPosition) return undefined
  const begins = 'offset' in start ? 'first' : start.after.key === null ? 'after null' : 'after'
  return `${by} ${direction} ${begins} ${limit} ${attributes} ${search}`
}

/**
 * First finds the devices on the page, with only the tables that the order and the filter need. Then reads the
 * remaining columns of only those devices. With an index and no filter, skipping a device therefore costs no more than
 * reading an index entry. If there is no offset either, the statement finds only devices that are on the page. It
 * therefore reads `device` and `device_live` in one step.
 */
export function devicePageSql(accountId: string, page: DevicePageQuery): Sql {
  const filter = sqlFilter(accountId, page.filter)
  const key = keyOf(page.order)
  const reads = union(filter.reads, key.reads)
  const where = [isOf(accountId, reads), ...filter.where]
  const order = { ...key, direction: page.order.direction }
  const { start, limit, attributes } = page
  const toComplete = { accountId, attributes, hasKey: !isKeyInRow(page.order) }
  const idsOnly = { ...toComplete, device: false, live: false }
  if ('afterKeys' in start || page.order.further.length > 0)
    return completed(rowsOfManyKeys(accountId, page, filter), idsOnly)
  if (page.search === 'walk' && !key.isComputed)
    return completed(walkedRows(accountId, { ...page, start }, filter), idsOnly)
  if (key.isComputed || page.search === 'scan') {
    const has = key.isComputed || limit < PASSED_ON ? idsOnly : { ...toComplete, ...reads }
    const values = computedValues({ columns: columnsOf(key.id, has, attributes), reads, where, key })
    return completed(scannedList(values, page, start), has)
  }
  const joined = reads.device && reads.live ? { ...order, id: key.id, twinId: sql`l.device_id` } : order
  if (Object.keys(page.filter).length === 0 && !('offset' in start && start.offset > 0)) {
    const from = sql`${tables(reads)} ${lookups(toComplete, reads, key.id)}`
    const columns = deviceColumns(attributes, { device: 'd', live: 'l' })
    return sortedRows({ columns, from, where, hasKey: toComplete.hasKey }, joined, start, limit)
  }
  const has = 'offset' in start && start.offset > 0 ? { device: false, live: false } : reads
  const source = { columns: columnsOf(key.id, has, attributes), from: tables(reads), where }
  const completing = { ...toComplete, ...has }
  if ('fromEnd' in start && start.fromEnd && 'offset' in start) {
    const far = { offset: start.offset, total: deviceCount(accountId) }
    return completed(rowsFromEnd(source, joined, far, limit), { ...completing, isBackwards: true })
  }
  return completed(sortedRows(source, joined, start, limit), completing)
}

/**
 * The `OFFSET 0` fences keep the order of the list. If the filter reads the table that contains the key, the subquery
 * for the list selects that table's columns. This saves a lookup for each device.
 */
function walkedList(
  accountId: string,
  { order, start, walked = WALKED }: Pick<DevicePageQuery, 'order' | 'walked'> & { start: SqlStart },
  filter: Filtered,
): { listed: Sql; from: Sql } {
  const key = keyOf(order)
  const { device, live, context } = filter.reads
  const isOfDevice = key.reads.device
  const isRead = isOfDevice ? device : live
  const columns = isRead ? sql.raw(isOfDevice ? 'd.*' : 'l.*, l.device_id as id') : sql`${key.id} as id`
  const from = { columns, from: tables(key.reads), where: [isOf(accountId, key.reads)] }
  const place = 'after' in start ? start : { offset: 0 }
  const list = sortedRows(from, { ...key, direction: order.direction }, place, walked)
  const listed = sql.raw(isOfDevice ? 'd' : 'l')
  const parts: Sql[] = []
  if (device && !isOfDevice) {
    parts.push(sql`cross join lateral (
      select * from device where account_id = ${accountId} and id = ${listed}.id offset 0) as d`)
  }
  if (live && isOfDevice) {
    parts.push(sql`cross join lateral (
      select * from device_live where account_id = ${accountId} and device_id = ${listed}.id offset 0) as l`)
  }
  if (context !== undefined) {
    parts.push(sql`left join lateral (select * from attribute_override
      where account_id = ${accountId} and target_id = ${listed}.id and context = ${context} offset 0) as o on true`)
  }
  return { listed, from: sql`(${list}) as ${listed} ${sql.join(parts, sql` `)}` }
}

function walkedRows(accountId: string, page: DevicePageQuery & { start: SqlStart }, filter: Filtered): Sql {
  const { listed, from } = walkedList(accountId, page, filter)
  return sql`select ${listed}.id, ${listed}.sort_key from ${from}
    where ${allOf(filter.where)} limit ${page.limit} offset ${'after' in page.start ? 0 : page.start.offset}`
}

function rowsOfManyKeys(accountId: string, { order, start, limit }: DevicePageQuery, filter: Filtered): Sql {
  if ('after' in start)
    throw new Error('a list with several sort keys must start after the values of all keys, not after a single value')
  const orders = [order, ...order.further]
  const reads = orders.map((each) => keyOf(each).reads).reduce(union, { ...filter.reads, device: true })
  const source = { columns: sql`d.id as id`, from: tables(reads), where: [isOf(accountId, reads), ...filter.where] }
  return rowsByKeys(source, { keys: orders.map(sqlKeyOf), id: sql`d.id` }, start, limit)
}

type Filtered = ReturnType<typeof sqlFilter>

function scannedList(values: Sql, { order, limit }: DevicePageQuery, start: SqlStart): Sql {
  const value = sql`c.value`
  const key = { key: keyFromValue(order, value), nullable: value, id: sql`c.id`, direction: order.direction }
  return scannedRows({ columns: sql`c.*`, from: sql`(${values}) as c`, where: [] }, key, start, limit)
}

interface Computing {
  columns: Sql
  reads: Reads
  where: Sql[]
  key: DeviceKey
}

/** Without the `OFFSET 0` fences, PostgreSQL would compute a key again for each use. */
function computedValues({ columns, reads, where, key }: Computing): Sql {
  const from = sql`from ${tables(reads)} where ${allOf(where)} offset 0`
  if (key.attribute === undefined) return sql`select ${columns}, ${key.value ?? sql`null::text`} as value ${from}`
  const rows = sql`select ${columns}, d.attributes, ${textIn(sql`d.attributes`, key.attribute)} as text ${from}`
  return sql`select t.id, ${sortableFrom(sql`t.text`, sql`t.attributes`, key.attribute)} as value from (${rows}) as t offset 0`
}

function columnsOf(id: Sql, { device, live }: Tables, attributes: AttributesRead): Sql {
  const ofDevice = device ? [columnsFrom('d', columnsOfDevice(attributes))] : [sql`${id} as id`]
  return sql.join(live ? [...ofDevice, columnsFrom('l', columnsOfLive(attributes))] : ofDevice, sql`, `)
}

type Tables = Pick<Reads, 'device' | 'live'>

interface Columns {
  accountId: string
  attributes: AttributesRead
  hasKey: boolean
}

/** Adds the columns of the tables that `rows` did not read. */
function completed(
  rows: Sql,
  { device, live, isBackwards = false, ...columns }: Columns & Tables & { isBackwards?: boolean },
): Sql {
  const { attributes, hasKey } = columns
  return sql`select ${deviceColumns(attributes, { device: device ? 'p' : 'd', live: live ? 'p' : 'l' })}${sql.raw(hasKey ? ', p.sort_key' : '')}
    from (select *, row_number() over () as position from (${rows}) as page) as p
    ${lookups(columns, { device, live }, sql`p.id`)} order by p.position${sql.raw(isBackwards ? ' desc' : '')}`
}

/**
 * Joins the tables that a statement does not read yet. The `OFFSET 0` fences make each lookup use the primary key.
 * Without them, the planner may scan the whole table.
 */
function lookups({ accountId, attributes }: Columns, { device, live }: Tables, id: Sql): Sql {
  const parts: Sql[] = []
  if (!device) {
    parts.push(sql`cross join lateral (select ${columnsFrom('d', columnsOfDevice(attributes))} from device d
      where d.account_id = ${accountId} and d.id = ${id} offset 0) as d`)
  }
  if (!live) {
    parts.push(sql`cross join lateral (select ${columnsFrom('l', columnsOfLive(attributes))} from device_live l
      where l.account_id = ${accountId} and l.device_id = ${id} offset 0) as l`)
  }
  return sql.join(parts, sql` `)
}

export function tables({ device, live, context }: Reads): Sql {
  const base = device && live ? both : live ? sql`device_live l` : sql`device d`
  if (context === undefined) return base
  const target = device ? sql`d.id` : sql`l.device_id`
  const account = device ? sql`d.account_id` : sql`l.account_id`
  return sql`${base} left join attribute_override o
    on o.account_id = ${account} and o.target_id = ${target} and o.context = ${context}`
}

const both = sql`device d join device_live l on l.account_id = d.account_id and l.device_id = d.id`

export const isOf = (accountId: string, { device }: Reads): Sql =>
  sql`${device ? sql`d.account_id` : sql`l.account_id`} = ${accountId}`

export const union = (one: Reads, other: Reads): Reads => ({
  device: one.device || other.device,
  live: one.live || other.live,
  context: one.context ?? other.context,
})

/** The number of matches determines the best index, so PostgreSQL plans each execution of a statement with a filter. */
const planning = (filter: DeviceFilter): Sql => sql.raw(Object.keys(filter).length === 0 ? '' : plannedEachTime)

/**
 * Counts the first devices of a list, up to `walked`, and the matches among them. The order must have an index. Counts
 * none if the account has at most `WALKED` devices. Conditions have too many forms for statements prepared by name.
 */
export async function countInSample(
  db: Database,
  accountId: string,
  { filter, ...list }: Pick<DevicePageQuery, 'filter' | 'order'> & { start: SqlStart; walked: number },
): Promise<{ devices: number; matches: number }> {
  const matching = sqlFilter(accountId, filter)
  const prefix = sql.raw(filter.where || filter.inside ? plannedEachTime : '')
  const { rows } = await sql<{ devices: number; matches: number }>`${prefix}
    select count(*)::int as devices, count(*) filter (where ${allOf(matching.where)})::int as matches
    from ${walkedList(accountId, list, matching).from} where ${deviceCount(accountId)} > ${sql.lit(WALKED)}`.execute(db)
  return rows[0]!
}

/** Without a filter, returns the stored count. */
export async function countDevices(db: Database, accountId: string, filter: DeviceFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`${planning(filter)}${deviceCountSql(accountId, filter)}`.execute(db)
  return rows[0]!.count
}

function deviceCountSql(accountId: string, filter: DeviceFilter): Sql {
  if (Object.keys(filter).length === 0) return sql`select ${deviceCount(accountId)} as count`
  const { where, reads } = sqlFilter(accountId, filter)
  const read = { ...reads, device: reads.device || !reads.live }
  return sql`select count(*)::int as count from ${tables(read)} where ${allOf([isOf(accountId, read), ...where])}`
}
