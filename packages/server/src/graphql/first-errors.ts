import {
  type ExecutionResult,
  type GraphQLError,
  type GraphQLOutputType,
  getNullableType,
  isListType,
  isNonNullType,
} from 'graphql'
import type { OperationPlan, PlannedField, SelectionPlan } from './documents/selection-plan.ts'

/**
 * Removes repeated errors for the same null object. If several required fields of an object are null, only the first
 * error is reported (GraphQL §6.4.4).
 */
export function firstErrors({ data, errors = [] }: ExecutionResult, plan: OperationPlan): readonly GraphQLError[] {
  const reported = new Set<string>()
  return errors.filter(({ path = [] }) => {
    const place = placeOfNull(data, path)
    if (place === path.length || !isRequired(path, plan)) return true
    const key = JSON.stringify(path.slice(0, place))
    if (reported.has(key)) return false
    reported.add(key)
    return true
  })
}

export function placeOfNull(data: unknown, path: readonly (string | number)[]): number {
  let value = data
  for (const [index, key] of path.entries()) {
    if (typeof value !== 'object' || value === null) return index
    value = (value as Record<string | number, unknown>)[key]
  }
  return path.length
}

function isRequired(path: readonly (string | number)[], plan: OperationPlan): boolean {
  let selection: SelectionPlan | undefined = plan.root
  let type: GraphQLOutputType | undefined
  for (const step of path) {
    if (typeof step === 'number') {
      const list: GraphQLOutputType | undefined = type && getNullableType(type)
      type = isListType(list) ? (list.ofType as GraphQLOutputType) : undefined
      continue
    }
    const field: PlannedField | undefined = selection?.fields.find(({ key }) => key === step)
    type = field?.definition.type
    selection = field?.child
  }
  return isNonNullType(type)
}
