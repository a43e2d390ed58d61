import { type RawBuilder, sql } from 'kysely'
import { sortable, sortableFrom, textIn } from '../../../db/attribute-expressions.ts'
import { type Database, plannedEachTime } from '../../../db/database.ts'
import {
  allOf,
  naturally,
  rowsFromEnd,
  type SqlOrder,
  type SqlStart,
  scannedRows,
  sortedRows,
} from '../../../db/sorted-page.ts'
import { parseTime } from '../../../db/types.ts'
import type { Place, SortKey } from '../../../graphql/lists/cursor.ts'
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
import { type DeviceKey, keyOf, type Reads } from './device-sort.queries.ts'
import { type DeviceOrder, isByTime } from './device-sort.ts'

type Sql = RawBuilder<unknown>

/** The row of a device, with its key in the order of the list, which is left away where the row has it. */
export type ListedDeviceRow = readonly [...DeviceRow, sortKey: string | null] | DeviceRow

/** `fromEnd`: the rows are nearer to the end of the list than to its start; for lists without filter, in an order that an index has. */
export type DeviceStart = SqlStart & { fromEnd?: boolean }

export interface DevicePageQuery {
  filter: DeviceFilter
  order: DeviceOrder
  start: DeviceStart
  limit: number
  /** Whether to read attributes. */
  attributes: AttributesRead
}

/** The rows of one page, in order. */
export async function selectDevicePage(
  db: Database,
  accountId: string,
  page: DevicePageQuery,
): Promise<ListedDeviceRow[]> {
  const { rows } =
    await sql<ListedDeviceRow>`${planning(page.filter)}${devicesAsRows}${devicePageSql(accountId, page)}`.execute(db)
  return rows
}

/**
 * The statement of a page. First it finds which devices are on it, from the tables that order and filter read and from no
 * other, then it reads the rest of those: rows that are passed over cost a key.
 */
export function devicePageSql(accountId: string, page: DevicePageQuery): Sql {
  const filter = sqlFilter(accountId, page.filter)
  const key = keyOf(page.order)
  const reads = union(filter.reads, key.reads)
  const where = [isOf(accountId, reads), ...filter.where]
  const order = { ...key, direction: page.order.direction }
  const { start, limit, attributes } = page
  const toComplete = { accountId, attributes, hasKey: !isKeyInRow(page.order) }

  if (key.isComputed) {
    const { source, computed } = computedSource({ reads, where, key, direction: order.direction })
    return completed(scannedRows(source, computed, start, limit), { ...toComplete, device: false, live: false })
  }
  const joined = reads.device && reads.live ? { ...order, id: key.id, twinId: sql`l.device_id` } : order
  const has = 'offset' in start && start.offset > 0 ? { device: false, live: false } : reads
  const source = { columns: columnsOf(key.id, has, attributes), from: tables(reads), where }
  const completing = { ...toComplete, ...has }
  if ('offset' in start && start.fromEnd) {
    const far = { offset: start.offset, total: deviceCount(accountId) }
    return completed(rowsFromEnd(source, joined, far, limit), { ...completing, isBackwards: true })
  }
  return completed(sortedRows(source, joined, start, limit), completing)
}

interface Computing {
  reads: Reads
  where: Sql[]
  key: DeviceKey
  direction: SqlOrder['direction']
}

function computedSource({ reads, where, key, direction }: Computing) {
  const value = sql`c.value`
  return {
    source: { columns: sql`c.id`, from: sql`(${computedValues({ reads, where, key })}) as c`, where: [] },
    computed: { key: naturally(value), nullable: value, id: sql`c.id`, direction },
  }
}

/** Keys without an index, computed once per device. Without the `OFFSET 0` fences, each use would compute them again. */
function computedValues({ reads, where, key }: Omit<Computing, 'direction'>): Sql {
  const from = sql`from ${tables(reads)} where ${allOf(where)} offset 0`
  if (key.attribute === undefined) return sql`select d.id, ${sortable(key.nullable!)} as value ${from}`
  const texts = sql`select d.id, d.attributes, ${textIn(sql`d.attributes`, key.attribute)} as text ${from}`
  return sql`select t.id, ${sortableFrom(sql`t.text`, sql`t.attributes`, key.attribute)} as value from (${texts}) as t offset 0`
}

function columnsOf(id: Sql, { device, live }: Pick<Reads, 'device' | 'live'>, attributes: AttributesRead): Sql {
  const ofDevice = device ? [columnsFrom('d', columnsOfDevice(attributes))] : [sql`${id} as id`]
  return sql.join(live ? [...ofDevice, columnsFrom('l', columnsOfLive(attributes))] : ofDevice, sql`, `)
}

interface Completing extends Pick<Reads, 'device' | 'live'> {
  accountId: string
  attributes: AttributesRead
  /** Whether the key of each row is wanted with it. */
  hasKey: boolean
  isBackwards?: boolean
}

/**
 * The rows of a page with what they lack of their devices. The fences keep each look-up by key: planned freely, it can become
 * a scan of the whole table.
 */
function completed(rows: Sql, completing: Completing): Sql {
  const { accountId, attributes, hasKey, device, live, isBackwards = false } = completing
  const parts: Sql[] = []
  if (!device) {
    parts.push(sql`cross join lateral (select ${columnsFrom('d', columnsOfDevice(attributes))} from device d
      where d.account_id = ${accountId} and d.id = p.id offset 0) as d`)
  }
  if (!live) {
    parts.push(sql`cross join lateral (select ${columnsFrom('l', columnsOfLive(attributes))} from device_live l
      where l.account_id = ${accountId} and l.device_id = p.id offset 0) as l`)
  }
  const columns = deviceColumns(attributes, { device: device ? 'p' : 'd', live: live ? 'p' : 'l' })
  return sql`select ${columns}${sql.raw(hasKey ? ', p.sort_key' : '')} from (select *, row_number() over () as position from (${rows}) as page) as p
    ${sql.join(parts, sql` `)} order by p.position${sql.raw(isBackwards ? ' desc' : '')}`
}

function tables({ device, live, context }: Reads): Sql {
  const base = device && live ? both : live ? sql`device_live l` : sql`device d`
  if (context === undefined) return base
  const target = device ? sql`d.id` : sql`l.device_id`
  const account = device ? sql`d.account_id` : sql`l.account_id`
  return sql`${base} left join attribute_override o
    on o.account_id = ${account} and o.target_id = ${target} and o.context = ${context}`
}

const both = sql`device d join device_live l on l.account_id = d.account_id and l.device_id = d.id`

const isOf = (accountId: string, { device }: Reads): Sql =>
  sql`${device ? sql`d.account_id` : sql`l.account_id`} = ${accountId}`

const union = (one: Reads, other: Reads): Reads => ({
  device: one.device || other.device,
  live: one.live || other.live,
  context: one.context ?? other.context,
})

/** The number of matches, and so the best index, depends on the arguments. */
const planning = (filter: DeviceFilter): Sql => sql.raw(Object.keys(filter).length === 0 ? '' : plannedEachTime)

/** How many devices match. Without a filter, the number is already known. */
export async function countDevices(db: Database, accountId: string, filter: DeviceFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`${planning(filter)}${deviceCountSql(accountId, filter)}`.execute(db)
  return rows[0]!.count
}

export function deviceCountSql(accountId: string, filter: DeviceFilter): Sql {
  if (Object.keys(filter).length === 0) return sql`select ${deviceCount(accountId)} as count`
  const { where, reads } = sqlFilter(accountId, filter)
  const read = { ...reads, device: reads.device || !reads.live }
  return sql`select count(*)::int as count from ${tables(read)} where ${allOf([isOf(accountId, read), ...where])}`
}

/** The current position of a device in an order; undefined if the account has no such device. */
export async function findPlace(
  db: Database,
  accountId: string,
  { order, id }: { order: DeviceOrder; id: string },
): Promise<Place | undefined> {
  const { key, id: column, reads } = keyOf(order)
  const { rows } = await sql<{ id: string; sort_key: string | Date | null }>`
    select ${column} as id, ${key ?? sql`null::text`} as sort_key from ${tables(reads)}
    where ${isOf(accountId, reads)} and ${column} = ${id}`.execute(db)
  return rows[0] && { id: rows[0].id, key: toSortKey(rows[0].sort_key) }
}

export function placeOf(row: ListedDeviceRow, order: DeviceOrder): Place {
  if (order.by === 'id') return { id: row[0], key: null }
  const key = isKeyInRow(order) ? row[1] : (row.at(-1) as string | null)
  return { id: row[0], key: key !== null && isByTime(order) ? parseTime(key).getTime() : key }
}

/** The key of a name is the name; an id has none. */
const isKeyInRow = ({ by }: DeviceOrder): boolean => by === 'name' || by === 'id'

/** Times have whole milliseconds in the database too. */
const toSortKey = (key: string | Date | null): SortKey => (key instanceof Date ? key.getTime() : key)
