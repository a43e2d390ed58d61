import type { Compare, Literal, OrderOperator } from '@muster/filter'
import { sql } from 'kysely'
import { sortable } from '../../../db/attribute-expressions.ts'
import { naturally } from '../../../db/natural-order.ts'
import { contains, matchesExactly, matchesIgnoringCase } from '../../../db/text-match.ts'
import type { FilterScope, Sql } from './filter-scope.ts'

type Operator = Compare['operator']

/** Returns SQL that is null if the value is missing. */
export function compareText(value: Sql, operator: Operator, literal: Literal): Sql {
  if (literal.type === 'pattern')
    return operator === '=' ? matchesExactly(value, literal.parts) : matchesIgnoringCase(value, literal.parts)
  const text = textOf(literal)
  if (operator === '=') return sql`${value} = ${text}`
  return operator === ':' ? contains(value, text) : compareNaturally(sortable(value), operator, text)
}

/** Compares in natural order. Truncates `text` with `sortable`, so callers must truncate a longer `value` likewise. */
export const compareNaturally = (value: Sql, operator: '=' | OrderOperator, text: string): Sql =>
  sql`${naturally(value)} ${sql.raw(operator)} ${naturally(sortable(sql`${text}::text`))}`

export function textOf(literal: Literal): string {
  if (literal.type !== 'string') throw new Error(`expected a string, found a literal of type ${literal.type}`)
  return literal.value
}

/** The SQL function `attribute_number` (migration 0017) returns null for a value that is not a number. */
export const compareNumber = (value: Sql, operator: Operator, decimal: string): Sql =>
  sql`attribute_number(${value}) ${sql.raw(operator)} ${decimal}::numeric`

/** Returns SQL that is null if the value is missing. `now` is the reference time for relative times. */
export function compareTime(
  value: Sql,
  operator: Operator,
  { literal, now }: { literal: Literal; now: FilterScope['now'] },
): Sql {
  const DAY = 86_400_000
  if (literal.type === 'day')
    return sql`(${value} >= ${timeOf(literal.milliseconds)} and ${value} < ${timeOf(literal.milliseconds + DAY)})`
  if (literal.type === 'time') return sql`${value} ${sql.raw(operator)} ${timeOf(literal.milliseconds)}`
  if (literal.type === 'relative') return sql`${value} ${sql.raw(operator)} ${timeFrom(now, literal.seconds)}`
  throw new Error(`expected a time, found a literal of type ${literal.type}`)
}

/**
 * The maximum distance, in seconds, between a relative time and a column. More distant times become infinite, because
 * PostgreSQL rejects times that are out of range.
 */
const MAX_SECONDS = 100_000_000_000

function timeFrom(now: FilterScope['now'], seconds: number): Sql {
  if (typeof now === 'number') return timeOf(now + seconds * 1000)
  if (Math.abs(seconds) > MAX_SECONDS) return timeOf(seconds * Number.POSITIVE_INFINITY)
  return sql`(${now} + ${seconds}::float8 * interval '1 second')`
}

/** A time that a `Date` cannot represent becomes infinite: later or earlier than every stored time. */
function timeOf(milliseconds: number): Sql {
  const time = new Date(milliseconds)
  if (!Number.isNaN(time.getTime())) return sql`${time}::timestamptz`
  return sql.raw(`'${milliseconds < 0 ? '-' : ''}infinity'::timestamptz`)
}

const MAX_INTEGER = 2_147_483_647

/** An index on integers does not support a comparison with a fraction, so `> 22.5`, for example, becomes `> 22`. */
export function compareInteger(value: Sql, operator: Operator, literal: Literal): Sql {
  if (literal.type !== 'number') throw new Error(`expected a number, found a literal of type ${literal.type}`)
  const round = operator === '<' || operator === '>=' ? Math.ceil : Math.floor
  const integer = Math.max(-MAX_INTEGER, Math.min(MAX_INTEGER, round(Number(literal.decimal))))
  return sql`${value} ${sql.raw(operator)} ${integer}::int`
}

/** Converts a literal to lowercase, because users' email addresses are case-insensitive. */
export function lowercase(literal: Literal): Literal {
  if (literal.type === 'string') return { type: 'string', value: literal.value.toLowerCase() }
  if (literal.type !== 'pattern') return literal
  return { type: 'pattern', parts: literal.parts.map((part) => part.toLowerCase()) }
}
