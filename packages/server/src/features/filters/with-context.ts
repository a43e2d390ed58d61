import type { Condition, ResolvedFilter } from '@muster/filter'
import { mapConditions } from './map-conditions.ts'

/**
 * Returns a filter that reads the effective values in `context`, or the base values if `context` is undefined,
 * regardless of the request's context. Conditions that already specify a context or the base values stay unchanged.
 */
export const withContext = (filter: ResolvedFilter, context: string | undefined): ResolvedFilter =>
  mapConditions(filter, (condition) => conditionIn(condition, context))

function conditionIn(condition: Condition, context: string | undefined): Condition {
  const read = context === undefined ? ({ type: 'base' } as const) : ({ type: 'in', context } as const)
  if (condition.type === 'stale') return condition.read === undefined ? { ...condition, read } : condition
  if (!('subject' in condition) || condition.subject.type === 'field') return condition
  const { subject } = condition
  const isFixed = subject.read !== undefined && subject.read.type !== 'effective'
  return isFixed ? condition : ({ ...condition, subject: { ...subject, read } } as Condition)
}
