import type { Condition, ResolvedFilter } from '@muster/filter'

/** Replaces each condition of a filter, including the conditions on a device's services. */
export function mapConditions(
  filter: ResolvedFilter,
  replace: (condition: Condition) => ResolvedFilter,
): ResolvedFilter {
  switch (filter.type) {
    case 'and':
    case 'or':
      return { ...filter, operands: filter.operands.map((operand) => mapConditions(operand, replace)) }
    case 'not':
      return { ...filter, operand: mapConditions(filter.operand, replace) }
    case 'services':
      return filter.condition === null ? filter : { ...filter, condition: mapConditions(filter.condition, replace) }
    default:
      return replace(filter)
  }
}
