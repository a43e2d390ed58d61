import { sql } from 'kysely'
import { sortable, valueIn } from '../../../db/attribute-expressions.ts'
import { type Database, plannedEachTime } from '../../../db/database.ts'
import { naturally } from '../../../db/natural-order.ts'
import { allOf, rowsByKeys, type SqlKey, type SqlStartByKeys } from '../../../db/sorted-page.ts'
import type { Place, SortKey } from '../../../graphql/lists/cursor.ts'
import type { AttributeName } from '../../attributes/attribute-name.ts'
import { WALKED } from '../../devices/list/device-list.queries.ts'
import { filterCondition } from '../../filters/sql/conditions.ts'
import { noTables, type Sql } from '../../filters/sql/filter-scope.ts'
import { insideCondition } from '../../filters/sql/reachable-devices.ts'
import { isNoBulkService, joinServiceLive, overridesIn } from '../../filters/sql/value-source.ts'
import { type ServiceRow, serviceColumns, servicesAsRows, stateFrom } from '../service-row.ts'
import {
  isNullableKey,
  type ServiceField,
  type ServiceSortKey,
  type ServicesSelection,
} from './service-list-arguments.ts'

/** A service row, with its sort keys as a JSON array. */
export interface ListedServiceRow {
  row: ServiceRow<string>
  sortKeys: string
}

export type ServiceSearch = 'lookup' | 'walk' | 'scan'

export interface ServicePageQuery {
  selection: ServicesSelection
  keys: readonly ServiceSortKey[]
  start: SqlStartByKeys
  limit: number
  attributes: boolean
  /**
   * How to find services if the list is sorted by the device's name first, and no index finds the matches of a filter.
   * `lookup` reads the services of each device in this order, `walk` those of the next `WALKED` devices, and `scan` all
   * services. If `search` is omitted, PostgreSQL decides, but it cannot know which way is faster.
   */
  search?: ServiceSearch
}

export async function selectServicePage(
  db: Database,
  accountId: string,
  { selection, keys, start, limit, attributes, search }: ServicePageQuery,
): Promise<ListedServiceRow[]> {
  const { from, where } = matching(accountId, selection, sourceOf(accountId, { keys, start, search }))
  const source = { columns: sql`s.device_id, ${serviceColumns(attributes, state)}`, from, where }
  const ownKeys = keys.map((key) => sqlKeyOf(key, selection.context))
  // No index contains an expression with this concatenation. PostgreSQL therefore reads all services and sorts the
  // matches.
  const scanned = { ...ownKeys[0]!, key: naturally(sql`(d.name || '')`) }
  const sqlKeys = search === 'scan' ? [scanned, ...ownKeys.slice(1)] : ownKeys
  const { rows } = await sql<readonly unknown[]>`${sql.raw(plannedEachTime)}${servicesAsRows}
    ${rowsByKeys(source, { keys: sqlKeys, id: sql`s.id` }, start, limit)}`.execute(db)
  return rows.map((row) => ({ row: row.slice(0, -1) as unknown as ServiceRow<string>, sortKeys: row.at(-1) as string }))
}

export async function countServices(db: Database, accountId: string, selection: ServicesSelection): Promise<number> {
  const { from, where } = matching(accountId, selection)
  const { rows } = await sql<{ count: number }>`${sql.raw(plannedEachTime)}
    select count(*)::int as count from ${from} where ${allOf(where)}`.execute(db)
  return rows[0]!.count
}

/** Returns undefined if the account has no such service, or if the caller cannot reach its device. */
export async function findServicePlace(
  db: Database,
  accountId: string,
  {
    keys,
    id,
    context,
    inside,
  }: { keys: readonly ServiceSortKey[]; id: string } & Pick<ServicesSelection, 'context' | 'inside'>,
): Promise<Place | undefined> {
  const { from, where } = matching(accountId, { where: undefined, now: 0, context, ...(inside && { inside }) })
  const json = keys.map((key) => sqlKeyOf(key, context).json)
  const { rows } = await sql<{ keys: SortKey[] }>`
    select jsonb_build_array(${sql.join(json)}) as keys from ${from}
    where ${allOf([...where, sql`s.id = ${id}`])}`.execute(db)
  return rows[0] && { id, key: rows[0].keys }
}

function sourceOf(
  accountId: string,
  { keys, start, search }: Pick<ServicePageQuery, 'keys' | 'start' | 'search'>,
): Sql {
  if (search === 'walk') return lookedUp(accountId, walked(accountId, keys[0]!, start))
  return search === 'lookup' ? lookedUp(accountId, sql`device d`) : joined
}

/** Selects the next `WALKED` devices in order of name, and further devices with the same name as the last of them. */
function walked(accountId: string, { direction }: ServiceSortKey, start: SqlStartByKeys): Sql {
  const name = naturally(sql`name`)
  const [first] = 'afterKeys' in start ? start.afterKeys.keys : []
  const beyond =
    first === undefined
      ? sql``
      : sql`and ${name} ${sql.raw(direction === 'asc' ? '>=' : '<=')} ${naturally(sql`${first}::text`)}`
  return sql`(select * from device where account_id = ${accountId} ${beyond} order by ${name} ${sql.raw(direction)}
    fetch first ${sql.lit(WALKED)} rows with ties) as d`
}

function matching(
  accountId: string,
  { where, now, context, inside }: ServicesSelection,
  from: Sql = joined,
): { from: Sql; where: Sql[] } {
  const tables = noTables()
  const conditions = [sql`d.account_id = ${accountId}`, sql`s.account_id = ${accountId}`, isNoBulkService]
  if (where !== undefined) conditions.push(filterCondition(where.filter, { accountId, context, now, tables }))
  if (inside !== undefined) conditions.push(insideCondition(accountId, inside, noTables()))
  const overrides =
    context === undefined ? sql`` : sql`${overridesIn(context, 'device')} ${overridesIn(context, 'service')}`
  return { from: sql`${from} ${joinServiceLive} ${overrides}`, where: conditions }
}

const joined = sql`service s
  join device d on d.account_id = s.account_id and d.id = s.device_id
  join device_live l on l.account_id = s.account_id and l.device_id = s.device_id`

/**
 * Looks up the services of each device. If an account has a small share of all devices, PostgreSQL expects far fewer
 * rows from `joined`, and may then compare each device of the page with each service of the account. A distributed
 * database accepts `offset` in these subqueries only if each of them names the account.
 */
const lookedUp = (accountId: string, devices: Sql): Sql => sql`${devices}
  cross join lateral (select * from service where account_id = ${accountId} and device_id = d.id offset 0) as s
  cross join lateral (select * from device_live where account_id = ${accountId} and device_id = d.id offset 0) as l`

const state = stateFrom(sql`l.state`)

const fieldKeys: Readonly<Record<ServiceField, { key: Sql; value: Sql }>> = {
  name: { key: naturally(sql`s.name`), value: sql`s.name` },
  id: { key: sql`s.id`, value: sql`s.id` },
  created: { key: sql`s.created`, value: sql`(extract(epoch from s.created) * 1000)::bigint` },
  state: { key: state, value: state },
  application: { key: sql`s.application`, value: sql`s.application` },
  port: { key: sql`s.port`, value: sql`s.port` },
  'device.name': { key: naturally(sql`d.name`), value: sql`d.name` },
}

function sqlKeyOf(sortKey: ServiceSortKey, context: string | undefined): SqlKey {
  const { by, direction } = sortKey
  const { key, value } = typeof by === 'string' ? fieldKeys[by] : attributeKey(by, context)
  return { key, json: value, direction, isNullable: isNullableKey(sortKey) }
}

function attributeKey(name: AttributeName, context: string | undefined): { key: Sql; value: Sql } {
  const base = valueIn(sql`s.attributes`, name)
  const value = sortable(context === undefined ? base : sql`coalesce(${valueIn(sql`so.attributes`, name)}, ${base})`)
  return { key: naturally(value), value }
}
