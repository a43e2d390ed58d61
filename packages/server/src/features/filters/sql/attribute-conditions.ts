import type { AttributeName, AttributeSubject, Compare, CompareList, HasValue } from '@muster/filter'
import { sql } from 'kysely'
import { sortable, valueIn } from '../../../db/attribute-expressions.ts'
import { naturally } from '../../../db/natural-order.ts'
import { RESERVED_GROUP } from '../../attributes/attribute-name.ts'
import { reservedColumns } from '../../attributes/attributes.ts'
import { compareNaturally, compareNumber, compareText, compareTime, textOf } from './compare.ts'
import { both, columnIn, either, type FilterScope, type Sql } from './filter-scope.ts'

/** Inside NOT, PostgreSQL cannot use an index, so the condition does not need a form that an index supports. */
export interface Use {
  readonly isNegated: boolean
}

export function compareAttribute(
  scope: FilterScope,
  { subject, operator, literal }: Compare & { subject: AttributeSubject },
  use: Use,
): Sql {
  if (operator === '=' && literal.type === 'string') return equalsAny(scope, subject, [literal.value], use)
  const column = columnOf(scope, subject)
  if (literal.type === 'number') return compareNumber(attributeText(scope, subject), operator, literal.decimal)
  if (literal.type === 'time' || literal.type === 'relative')
    return compareTime(sql`attribute_time(${attributeText(scope, subject)})`, operator, { literal, now: scope.now })
  if (column !== undefined && operator !== '=' && operator !== ':' && readsBase(subject, scope))
    return compareNaturally(sortable(column), operator, textOf(literal))
  return compareText(attributeText(scope, subject), operator, literal)
}

export function compareAttributeList(
  scope: FilterScope,
  { subject, operator, match, literals }: CompareList & { subject: AttributeSubject },
  use: Use,
): Sql {
  const strings = literals.filter((literal) => literal.type === 'string').map(({ value }) => value)
  if (operator === '=' && strings.length === literals.length) return equalsAny(scope, subject, strings, use)
  const each = literals.map((literal) => compareAttribute(scope, { type: 'compare', subject, operator, literal }, use))
  return match === 'all' ? both(each) : either(each)
}

/** Returns a condition that matches if the name has a value, or if a group with this name contains a value. */
export function hasAttribute(scope: FilterScope, { subject }: HasValue & { subject: AttributeSubject }): Sql {
  const { of, name } = subject
  const overrides = overridesOf(scope, subject)
  const found: Sql[] = []
  if (subject.read.type !== 'override') {
    const columns = of === 'device' ? columnsIn(name) : []
    if (columns.length > 0) scope.tables.live = true
    found.push(...columns.map((column) => sql`l.${sql.ref(column)} is not null`))
    if (columns.length === 0) found.push(contains(columnIn(scope, of, 'attributes'), name))
  }
  if (overrides !== undefined) found.push(contains(overrides, name))
  return either(found.map((each) => sql`coalesce(${each}, false)`))
}

const contains = (attributes: Sql, [first, subName]: AttributeName): Sql =>
  subName === undefined ? sql`${attributes} ? ${first}` : sql`(${attributes} -> ${first}::text) ? ${subName}`

function columnsIn([group, subName]: AttributeName): string[] {
  if (group !== RESERVED_GROUP) return []
  const column = subName === undefined ? undefined : reservedColumns.get(subName)
  return column === undefined ? [...reservedColumns.values()] : [column]
}

/** Returns undefined for names that have no column in `device_live`. */
export function columnOf(scope: FilterScope, { of, name }: Pick<AttributeSubject, 'of' | 'name'>): Sql | undefined {
  const [column] = of === 'device' && name.length === 2 ? columnsIn(name) : []
  if (column === undefined) return undefined
  scope.tables.live = true
  return sql.ref(`l.${column}`)
}

export const readsBase = ({ read }: AttributeSubject, { context }: FilterScope): boolean =>
  read.type === 'base' || (read.type === 'effective' && context === undefined)

function contextOf({ read }: AttributeSubject, scope: FilterScope): string | undefined {
  if (read.type === 'base') return undefined
  return read.type === 'effective' ? scope.context : read.context
}

/** Returns SQL for a column of the override that the condition reads, or undefined if it reads base values. */
export function overridesOf(
  scope: FilterScope,
  subject: AttributeSubject,
  column: 'attributes' | 'attribute_times' = 'attributes',
): Sql | undefined {
  const context = contextOf(subject, scope)
  if (context === undefined) return undefined
  const { of } = subject
  if (subject.read.type === 'effective') {
    if (of === 'device') scope.tables.overrides = true
    else scope.tables.serviceOverrides = true
    return sql.ref(`${of === 'device' ? 'o' : 'so'}.${column}`)
  }
  return sql`(select ${sql.ref(`x.${column}`)} from attribute_override x
    where x.account_id = ${scope.accountId} and x.target_id = ${columnIn(scope, of, 'id')} and x.context = ${context})`
}

/** Returns SQL that is null if the attribute has no value or is a group. */
export function attributeText(scope: FilterScope, subject: AttributeSubject): Sql {
  const override = overrideText(scope, subject)
  if (override !== undefined && subject.read.type === 'override') return override
  const base = baseText(scope, subject)
  return override === undefined ? base : sql`coalesce(${override}, ${base})`
}

export const baseText = (scope: FilterScope, subject: AttributeSubject): Sql =>
  columnOf(scope, subject) ?? valueIn(columnIn(scope, subject.of, 'attributes'), subject.name)

/** Returns SQL that is null if there is no override, or undefined if the condition reads base values. */
export function overrideText(scope: FilterScope, subject: AttributeSubject): Sql | undefined {
  const overrides = overridesOf(scope, subject)
  return overrides && valueIn(overrides, subject.name)
}

/** Returns a condition in a form that the indexes on values support. A negated condition may have a simpler form. */
function equalsAny(scope: FilterScope, subject: AttributeSubject, values: readonly string[], use: Use): Sql {
  const { of, name } = subject
  const column = columnOf(scope, subject)
  if (readsBase(subject, scope)) {
    if (column !== undefined) return either(values.map((value) => equalsReserved(column, value)))
    return containsAny(columnIn(scope, of, 'attributes'), name, values)
  }
  const exact = sql`${attributeText(scope, subject)} = any(${values})`
  if (use.isNegated) return exact
  const context = contextOf(subject, scope)!
  const inOverrides = sql`select v.target_id from attribute_override v
    where v.account_id = ${scope.accountId} and v.context = ${context}
      and ${containsAny(sql`v.attributes`, name, values)}`
  const id = columnIn(scope, of, 'id')
  if (subject.read.type === 'override') return sql`${id} in (${inOverrides})`
  const inBase = column === undefined ? targetsByValue(scope, subject, values) : targetsByReserved(scope, name, values)
  return sql`(${id} in (${inOverrides} union all ${inBase}) and ${exact})`
}

function targetsByValue({ accountId }: FilterScope, { of, name }: AttributeSubject, values: readonly string[]): Sql {
  return sql`select b.id from ${sql.table(of)} b
    where b.account_id = ${accountId} and ${containsAny(sql`b.attributes`, name, values)}`
}

function targetsByReserved({ accountId }: FilterScope, name: AttributeName, values: readonly string[]): Sql {
  const column = sql.ref(`b.${columnsIn(name)[0]!}`)
  return sql`select b.device_id from device_live b
    where b.account_id = ${accountId} and ${either(values.map((value) => equalsReserved(column, value)))}`
}

/** The first comparison uses the index, which does not distinguish A1 from a01, and the second is exact. */
const equalsReserved = (column: Sql, value: string): Sql =>
  sql`(${naturally(sortable(column))} = ${naturally(sortable(sql`${value}::text`))} and ${column} = ${value})`

const containsAny = (attributes: Sql, name: AttributeName, values: readonly string[]): Sql =>
  values.length === 1
    ? sql`${attributes} @> ${nested(name, values[0]!)}::jsonb`
    : sql`${attributes} @> any(${values.map((value) => nested(name, value))}::jsonb[])`

const nested = ([first, subName]: AttributeName, value: string): string =>
  JSON.stringify({ [first]: subName === undefined ? value : { [subName]: value } })
