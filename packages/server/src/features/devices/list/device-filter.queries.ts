import { type RawBuilder, sql } from 'kysely'
import { sortable } from '../../../db/attribute-expressions.ts'
import { naturally } from '../../../db/natural-order.ts'
import { allOf } from '../../../db/sorted-page.ts'
import { contains } from '../../../db/text-match.ts'
import { type AttributeName, RESERVED_GROUP } from '../../attributes/attribute-name.ts'
import { reservedColumns } from '../../attributes/attributes.ts'
import type { Change } from '../../attributes/parse-attributes.ts'
import { filterCondition } from '../../filters/sql/conditions.ts'
import { noTables } from '../../filters/sql/filter-scope.ts'
import { insideCondition } from '../../filters/sql/reachable-devices.ts'
import { BULK_SERVICE } from '../../services/application-types.ts'
import type { DeviceFilter } from './device-filter.ts'
import { type Reads, reservedColumn, valueAt } from './device-sort.queries.ts'

type Sql = RawBuilder<unknown>

export function sqlFilter(accountId: string, filter: DeviceFilter): { where: Sql[]; reads: Reads } {
  const values = (filter.values ?? []).flatMap(expandReserved)
  const reserved = values.filter(({ name }) => reservedColumn(name) !== undefined)
  const others = values.filter(({ name }) => reservedColumn(name) === undefined)
  const { context } = filter
  const where = fieldConditions(accountId, filter)
  if (others.length > 0) where.push(...valueConditions(accountId, others, context))
  for (const each of reserved) where.push(...reservedConditions(accountId, each, context))
  const tables = noTables()
  if (filter.where !== undefined) {
    const scope = { accountId, context, now: filter.now!, tables }
    where.push(filterCondition(filter.where.filter, scope))
  }
  if (filter.inside !== undefined) where.push(insideCondition(accountId, filter.inside, tables))
  return {
    where,
    reads: {
      device: readsDevice(filter) || others.length > 0 || tables.device,
      live: filter.state !== undefined || reserved.length > 0 || tables.live,
      context: values.length > 0 || tables.overrides ? context : undefined,
    },
  }
}

const readsDevice = ({ name, ids, hardwareId, platforms, applications }: DeviceFilter): boolean =>
  [name, ids, hardwareId, platforms, applications].some((each) => each !== undefined)

function fieldConditions(accountId: string, filter: DeviceFilter): Sql[] {
  const { name, state, ids, hardwareId, platforms, applications } = filter
  const where: Sql[] = []
  if (ids !== undefined) where.push(sql`d.id = any(${ids})`)
  if (hardwareId !== undefined) where.push(sql`d.hardware_id = ${hardwareId}`)
  if (platforms !== undefined) where.push(platformIn(platforms))
  if (state !== undefined) where.push(sql`l.state = ${state}`)
  if (name !== undefined) where.push(contains(sql`d.name`, name))
  // Every device has a bulk service, so a filter that includes its type matches every device.
  if (applications !== undefined && !applications.includes(BULK_SERVICE)) {
    where.push(sql`exists (select from service s
      where s.account_id = ${accountId} and s.device_id = d.id and s.application = any(${applications}))`)
  }
  return where
}

/**
 * Compares twice: the first comparison uses the index, which does not distinguish A1 from a01, and the second is exact.
 */
const platformIn = (platforms: readonly string[]): Sql =>
  sql`${naturally(sql`d.platform`)} = any(${platforms}) and d.platform = any(${platforms})`

/** Expands null for the reserved group to null for each name in it, so a matching device has none of these values. */
function expandReserved({ name, value }: Change): Change[] {
  if (name.length !== 1 || name[0] !== RESERVED_GROUP || value !== null) return [{ name, value }]
  return Array.from(reservedColumns.keys(), (subName) => ({ name: [RESERVED_GROUP, subName], value: null }))
}

function valueConditions(accountId: string, values: readonly Change[], context: string | undefined): Sql[] {
  const present = values.filter(({ value }) => value !== null)
  const [first] = present
  if (context === undefined) {
    const contained = first === undefined ? [] : [sql`d.attributes @> ${nested(present)}::jsonb`]
    return [...contained, ...values.filter(({ value }) => value === null).map((each) => reads(each, undefined))]
  }
  const candidates = first === undefined ? [] : [inContext(accountId, context, first)]
  return [...candidates, ...values.map((each) => reads(each, sql`o.attributes`))]
}

/** Null does not match a group. `to_jsonb` distinguishes a group from a string that contains the group's JSON. */
function reads({ name, value }: Change, overrides: Sql | undefined): Sql {
  const base = jsonAt(sql`d.attributes`, name)
  const read = overrides === undefined ? base : sql`coalesce(${jsonAt(overrides, name)}, ${base})`
  return value === null ? sql`${read} is null` : sql`${read} = to_jsonb(${value}::text)`
}

const jsonAt = (column: Sql, [first, subName]: AttributeName): Sql =>
  subName === undefined ? sql`(${column} -> ${first}::text)` : sql`(${column} -> ${first}::text -> ${subName}::text)`

/**
 * This condition can use the indexes of both tables, but it also matches devices whose base value an override replaces.
 * The caller must therefore also compare the value that applies in the context.
 */
function inContext(accountId: string, context: string, change: Change): Sql {
  const value = sql`${nested([change])}::jsonb`
  return sql`d.id in (
    select v.target_id from attribute_override v
    where v.account_id = ${accountId} and v.context = ${context} and v.attributes @> ${value}
    union all
    select b.id from device b where b.account_id = ${accountId} and b.attributes @> ${value})`
}

function reservedConditions(accountId: string, { name, value }: Change, context: string | undefined): Sql[] {
  const column = reservedColumn(name)!
  if (context === undefined) return [value === null ? sql`${column} is null` : equals(column, value)]
  const read = valueAt(name, context)
  if (value === null) return [sql`${read} is null`]
  const candidates = sql`l.device_id in (
    select v.target_id from attribute_override v
    where v.account_id = ${accountId} and v.context = ${context} and v.attributes @> ${nested([{ name, value }])}::jsonb
    union all
    select l.device_id from device_live l where l.account_id = ${accountId} and ${equals(column, value)})`
  return [candidates, sql`${read} = ${value}`]
}

/**
 * Compares twice: the first comparison uses the index, which does not distinguish A1 from a01, and the second is exact.
 */
const equals = (column: Sql, value: string): Sql =>
  allOf([sql`${naturally(sortable(column))} = ${naturally(sortable(sql`${value}::text`))}`, sql`${column} = ${value}`])

function nested(values: readonly { name: AttributeName; value: string | null }[]): string {
  const groups = new Map<string, string | null | Map<string, string | null>>()
  for (const { name, value } of values) {
    const [first, sub] = name
    const existing = groups.get(first)
    if (sub === undefined) groups.set(first, value)
    else if (existing instanceof Map) existing.set(sub, value)
    else groups.set(first, new Map([[sub, value]]))
  }
  const members = Array.from(groups, ([key, value]) => [key, value instanceof Map ? asObject(value) : value] as const)
  return JSON.stringify(asObject(members))
}

/** Unlike an assignment, `Object.fromEntries` treats `__proto__` like any other name. */
const asObject = (members: Iterable<readonly [string, unknown]>): object => Object.fromEntries(members)
