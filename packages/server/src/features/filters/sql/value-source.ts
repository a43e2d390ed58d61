import { type AttributeName, type AttributeSubject, type FieldSubject, writeValue } from '@muster/filter'
import { sql } from 'kysely'
import { SORTED_LENGTH, sortable } from '../../../db/attribute-expressions.ts'
import { RESERVED_GROUP } from '../../attributes/attribute-name.ts'
import { type Interval, startOfInterval } from '../../facets/calendar-intervals.ts'
import { BULK_SERVICE } from '../../services/application-types.ts'
import { attributeText, readsBase } from './attribute-conditions.ts'
import { columnOf } from './field-conditions.ts'
import type { FilterScope, Sql } from './filter-scope.ts'

export type ValueSubject = FieldSubject | AttributeSubject

/** Returns SQL for the first 200 characters of the value or, for a time, for the start of its interval in UTC. */
export function textOfValue(scope: FilterScope, subject: ValueSubject, interval: Interval): Sql {
  if (subject.type === 'attribute') return sortable(attributeText(scope, subject))
  const column = columnOf(scope, subject)
  if (subject.valueType !== 'time') return sortable(sql`${column}::text`)
  return startOfInterval(column, interval)
}

/** Formats a value from `textOfValue` for a comparison with `=`. A value that can be truncated becomes a pattern. */
export const writeCountedValue = (value: string): string =>
  writeValue([...value].length < SORTED_LENGTH ? [value] : [value, ''])

/**
 * Returns the name of an attribute whose value depends only on the column `attributes` of `device d`. Returns undefined
 * for any other subject.
 */
export function storedName(scope: FilterScope, subject: ValueSubject): AttributeName | undefined {
  if (subject.type !== 'attribute' || subject.of !== 'device' || !readsBase(subject, scope)) return undefined
  return subject.name[0] === RESERVED_GROUP ? undefined : subject.name
}

/** Excludes the bulk service, which represents the device itself. */
export const isNoBulkService = sql`s.application <> ${sql.lit(BULK_SERVICE)}`

export const joinServiceLive = sql`left join service_live live on live.account_id = s.account_id and live.service_id = s.id`

export function overridesIn(context: string, of: 'device' | 'service'): Sql {
  const alias = sql.raw(of === 'device' ? 'o' : 'so')
  const target = sql.raw(of === 'device' ? 'd' : 's')
  return sql`left join attribute_override ${alias}
    on ${alias}.account_id = ${target}.account_id and ${alias}.target_id = ${target}.id and ${alias}.context = ${context}`
}
