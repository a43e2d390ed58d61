import type { FieldSubject, ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import { sortableFrom, textIn } from '../../db/attribute-expressions.ts'
import { type Database, plannedEachTime } from '../../db/database.ts'
import type { AttributeName } from '../attributes/attribute-name.ts'
import { anyStale } from '../filters/sql/attribute-times.ts'
import { filterCondition } from '../filters/sql/conditions.ts'
import { both, type FilterScope, noTables, type Sql } from '../filters/sql/filter-scope.ts'
import { insideCondition } from '../filters/sql/reachable-devices.ts'
import { andReadableOverride } from '../filters/sql/readable-names.ts'
import {
  isNoBulkService,
  joinServiceLive,
  overridesIn,
  storedName,
  textOfValue,
  type ValueSubject,
} from '../filters/sql/value-source.ts'
import type { Interval } from './calendar-intervals.ts'

export interface Counted {
  accountId: string
  /** Undefined means all devices. */
  filter: ResolvedFilter | undefined
  /** The filter for the devices that the caller can reach. Undefined means all devices. */
  inside: ResolvedFilter | undefined
  context: string | undefined
  /** The reference time for relative times in the filter, in milliseconds since 1970. */
  now: number
}

/**
 * A count of devices: those in one `bucket` of a facet, those with `other` values, those without a value (`missing`),
 * or `all`. `facet` is the position of the facet's name. For `all`, it is null.
 */
export interface FacetRow {
  facet: number | null
  part: 'bucket' | 'other' | 'missing' | 'all'
  value: string | null
  devices: number
  active: number
  distinct: number
}

export interface FacetQuery extends Counted {
  subjects: readonly ValueSubject[]
  size: number
  interval: Interval
}

/**
 * One pass with grouping sets counts by all names that have one value per device. Each other name needs a separate
 * pass, because a device can have several values of that name.
 */
export async function countByValue(db: Database, query: FacetQuery): Promise<FacetRow[]> {
  const { subjects, size } = query
  const places = subjects.map((subject, place) => ({ subject, place }))
  const ofDevices = places.filter(({ subject }) => !hasManyValues(subject))
  const ofMany = places.filter(({ subject }) => hasManyValues(subject))
  const counts = [countDevices(query, ofDevices), ...ofMany.map((each) => countOfMany(query, each))]
  const { rows } = await sql<FacetRow>`${sql.raw(plannedEachTime)}
    with counted as (${sql.join(counts, sql` union all `)}),
    ranked as (
      select *, row_number() over (partition by facet, value is null order by devices desc, value) as rank from counted
    )
    select facet, part, value, sum(devices)::int as devices, sum(active)::int as active,
      count(*) filter (where part in ('bucket', 'other'))::int as distinct
    from (
      select facet, devices, active, part, case when part = 'bucket' then value end as value
      from (
        select *, case when facet is null then 'all' when value is null then 'missing'
          when rank <= ${size} then 'bucket' else 'other' end as part from ranked
      ) as parted
    ) as summed
    group by facet, part, value order by facet, devices desc, value`.execute(db)
  return rows
}

const hasManyValues = (subject: ValueSubject): boolean =>
  subject.of === 'service' || (subject.type === 'field' && subject.valueType === 'strings')

const column = (place: number): Sql => sql.raw(`value_${place}`)

interface PlacedSubject {
  subject: ValueSubject
  place: number
}

function countDevices(query: FacetQuery, subjects: readonly PlacedSubject[]): Sql {
  const scope = scopeOf(query)
  const matched = matchedValues(query, scope, subjects)
  const names = subjects.map(({ place }) => column(place))
  if (names.length === 0)
    return sql`select null::int as facet, null::text as value, count(*) as devices, count(*) filter (where active) as active
      from (${matched}) as matched`
  const facet = subjects.map(({ place }) => sql`when grouping(${column(place)}) = 0 then ${sql.lit(place)}`)
  const value = subjects.map(({ place }) => sql`when grouping(${column(place)}) = 0 then ${column(place)}`)
  const sets = [...names.map((name) => sql`(${name})`), sql`()`]
  return sql`select case ${sql.join(facet, sql` `)} end as facet, case ${sql.join(value, sql` `)} end as value,
      count(*) as devices, count(*) filter (where active) as active
    from (${matched}) as matched group by grouping sets (${sql.join(sets, sql`, `)})`
}

/** Without the `OFFSET 0` fence, PostgreSQL would read a stored attribute again for each use. */
function matchedValues(query: FacetQuery, scope: FilterScope, subjects: readonly PlacedSubject[]): Sql {
  const named = subjects.map(({ subject, place }) => ({
    subject,
    value: column(place),
    name: storedName(scope, subject),
  }))
  const read = named.map(({ subject, value, name }) => {
    const text = name === undefined ? textOfValue(scope, subject, query.interval) : textIn(sql`d.attributes`, name)
    return sql`${text} as ${value}`
  })
  if (named.every(({ name }) => name === undefined)) return matchedDevices(query, scope, read)
  scope.tables.device = true
  const values = named.map(({ value, name }) =>
    name === undefined ? value : sql`${sortableFrom(sql`t.${value}`, sql`t.attributes`, name)} as ${value}`,
  )
  const devices = matchedDevices(query, scope, [...read, sql`d.attributes`])
  return sql`select active, ${sql.join(values, sql`, `)} from (${devices} offset 0) as t`
}

function countOfMany(query: FacetQuery, { subject, place }: PlacedSubject): Sql {
  const scope = scopeOf(query)
  // The subquery for the values reads the device's ID and may read the device's state.
  scope.tables.device = scope.tables.live = true
  const values = sql`array(${valuesOfDevice(query, scope, subject)})`
  const matched = matchedDevices(query, scope, [sql`${values} as "values"`])
  return sql`select ${sql.lit(place)}::int, each.value, count(*), count(*) filter (where active)
    from (${matched}) as matched left join lateral unnest(matched."values") as each (value) on true
    group by each.value`
}

function valuesOfDevice({ accountId, context, interval }: FacetQuery, scope: FilterScope, subject: ValueSubject): Sql {
  if (subject.type === 'field' && subject.valueType === 'strings') return contextsOfDevice(accountId, subject)
  const inner = { ...scope, tables: noTables() }
  const value = textOfValue(inner, subject, interval)
  return sql`select distinct ${value} from service s
    ${inner.tables.serviceLive ? joinServiceLive : sql``}
    ${inner.tables.serviceOverrides ? overridesIn(context!, 'service') : sql``}
    where s.account_id = ${accountId} and s.device_id = d.id and ${isNoBulkService} and ${value} is not null`
}

function contextsOfDevice(accountId: string, { of, readable }: FieldSubject): Sql {
  const readableOverride = andReadableOverride(readable)
  if (of === 'device')
    return sql`select x.context from attribute_override x
      where x.account_id = ${accountId} and x.target_id = d.id ${readableOverride}`
  return sql`select distinct x.context from service s
    join attribute_override x on x.account_id = s.account_id and x.target_id = s.id
    where s.account_id = ${accountId} and s.device_id = d.id and ${isNoBulkService} ${readableOverride}`
}

export interface Totals {
  total: number
  active: number
  neverReported: number
  stale: number
}

/** `timed` lists the names whose values can be stale. */
export async function countTotals(
  db: Database,
  { timed, ...query }: Counted & { timed: readonly AttributeName[] },
): Promise<Totals> {
  const scope = scopeOf(query)
  scope.tables.live = true
  const columns = [sql`l.last_reported is null as never`, sql`${anyStale(scope, timed)} as stale`]
  const { rows } = await sql<Totals>`${sql.raw(plannedEachTime)}
    select count(*)::int as total, count(*) filter (where active)::int as active,
      count(*) filter (where never)::int as "neverReported", count(*) filter (where stale)::int as stale
    from (${matchedDevices(query, scope, columns)}) as matched`.execute(db)
  return rows[0]!
}

const scopeOf = ({ accountId, context, now }: Counted): FilterScope => ({ accountId, context, now, tables: noTables() })

/**
 * If the statement reads `device` and needs no column of `device_live` except the state, joins only the rows of
 * inactive devices. An index on the state finds these rows. Usually, most devices are active.
 */
function matchedDevices(
  { accountId, filter, inside, context }: Counted,
  scope: FilterScope,
  columns: readonly Sql[],
): Sql {
  const conditions: Sql[] = []
  if (filter !== undefined) conditions.push(filterCondition(filter, scope))
  if (inside !== undefined) conditions.push(insideCondition(accountId, inside, scope.tables))
  const { live, overrides } = scope.tables
  const device = scope.tables.device || overrides
  const joinOverrides = overrides ? overridesIn(context!, 'device') : sql``
  const select = (active: Sql): Sql => sql`select ${sql.join([sql`${active} as active`, ...columns], sql`, `)}`
  if (device && !live)
    return sql`${select(sql`l.device_id is null`)} from device d
      left join device_live l on l.account_id = d.account_id and l.device_id = d.id and l.state = 'inactive'
      ${joinOverrides} where ${both([sql`d.account_id = ${accountId}`, ...conditions])}`
  return sql`${select(sql`(l.state = 'active')`)} from device_live l
    ${device ? sql`join device d on d.account_id = l.account_id and d.id = l.device_id` : sql``}
    ${joinOverrides} where ${both([sql`l.account_id = ${accountId}`, ...conditions])}`
}
