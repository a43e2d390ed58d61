import type { Condition, ResolvedFilter } from '@muster/filter'

/**
 * Returns a filter that reads the effective values in `context`, or the base values if `context` is undefined,
 * regardless of the request's context. Conditions that already specify a context or the base values stay unchanged.
 */
export function withContext(filter: ResolvedFilter, context: string | undefined): ResolvedFilter {
  switch (filter.type) {
    case 'and':
    case 'or':
      return { ...filter, operands: filter.operands.map((operand) => withContext(operand, context)) }
    case 'not':
      return { ...filter, operand: withContext(filter.operand, context) }
    case 'services':
      return filter.condition === null ? filter : { ...filter, condition: withContext(filter.condition, context) }
    default:
      return conditionIn(filter, context)
  }
}

function conditionIn(condition: Condition, context: string | undefined): Condition {
  const read = context === undefined ? ({ type: 'base' } as const) : ({ type: 'in', context } as const)
  if (condition.type === 'stale') return condition.read === undefined ? { ...condition, read } : condition
  if (!('subject' in condition) || condition.subject.type === 'field') return condition
  const { subject } = condition
  const isFixed = subject.read !== undefined && subject.read.type !== 'effective'
  return isFixed ? condition : ({ ...condition, subject: { ...subject, read } } as Condition)
}
