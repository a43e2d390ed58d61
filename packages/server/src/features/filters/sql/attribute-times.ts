import type { AttributeSubject, Compare, IsStale, OrderOperator, TimeOfAttribute } from '@muster/filter'
import { sql } from 'kysely'
import { type AttributeName, joinAttributeName } from '../../attributes/attribute-name.ts'
import { STALE_AFTER } from '../../freshness/staleness.ts'
import { baseText, columnOf, overridesOf, overrideText } from './attribute-conditions.ts'
import { compareTime } from './compare.ts'
import { columnIn, either, type FilterScope, type Sql } from './filter-scope.ts'

/**
 * The time by which every server process had begun to record the times of values. Conditions treat an earlier time of a
 * value as this time.
 */
export const timesSince = sql`(select since from attribute_times_start)`

export function compareAttributeTime(
  scope: FilterScope,
  { subject, operator, literal }: Compare & { subject: TimeOfAttribute },
): Sql {
  const changed = timeOfValue(scope, attributeOf(subject), 'attribute_changed')
  if (subject.type === 'changed') return compareTime(changed, operator, { literal, now: scope.now })
  if (literal.type !== 'duration') throw new Error(`expected a duration, found a literal of type ${literal.type}`)
  return compareTime(changed, reversed[operator as OrderOperator], {
    literal: { type: 'relative', seconds: -literal.seconds },
    now: scope.now,
  })
}

/** A greater age means an earlier change, so a comparison of ages becomes the opposite comparison of times. */
const reversed = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const

export function isStale(scope: FilterScope, condition: IsStale): Sql {
  const confirmed = timeOfValue(scope, attributeOf(condition), 'attribute_confirmed')
  const now = typeof scope.now === 'number' ? sql`${new Date(scope.now)}::timestamptz` : scope.now
  return sql`(${confirmed} < ${now} - ${sql.lit(STALE_AFTER)} * interval '1 second' * (
    select f.seconds from freshness f
    where f.account_id = ${scope.accountId} and f.name = ${joinAttributeName(condition.name)}))`
}

export const anyStale = (scope: FilterScope, names: readonly AttributeName[]): Sql =>
  names.length === 0 ? sql`false` : either(names.map((name) => isStale(scope, { type: 'stale', of: 'device', name })))

const attributeOf = ({ of, name, read = { type: 'effective' } }: TimeOfAttribute | IsStale): AttributeSubject => ({
  type: 'attribute',
  of,
  name,
  read,
})

/**
 * Returns SQL for the time at which the value changed or was confirmed. The SQL is null if there is no value. A base
 * value that was set when its device or service was created has no stored time, so the SQL uses the creation time.
 */
function timeOfValue(
  scope: FilterScope,
  subject: AttributeSubject,
  read: 'attribute_changed' | 'attribute_confirmed',
): Sql {
  const { of, name } = subject
  const timeIn = (times: Sql): Sql =>
    sql`to_timestamp(${sql.raw(read)}(${times}, ${joinAttributeName(name)}) / 1000::float8)`
  const base = baseText(scope, subject)
  const ofBase = sql`greatest(${timeIn(timesOf(scope, subject))}, ${columnIn(scope, of, 'created')}, ${timesSince})`
  const whenBase = sql`when ${base} is not null then ${ofBase}`
  const override = overrideText(scope, subject)
  if (override === undefined) return sql`case ${whenBase} end`
  const ofOverride = sql`greatest(${timeIn(overridesOf(scope, subject, 'attribute_times')!)}, ${timesSince})`
  return sql`case when ${override} is not null then ${ofOverride} ${whenBase} end`
}

function timesOf(scope: FilterScope, subject: AttributeSubject): Sql {
  if (columnOf(scope, subject) !== undefined) return sql`l.attribute_times`
  return columnIn(scope, subject.of, 'attribute_times')
}
