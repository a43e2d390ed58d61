import type { CombinedError } from 'urql'

export type ListKind = 'DEVICES' | 'SERVICES' | 'EVENTS'

export const filterKinds = { DEVICES: 'device', SERVICES: 'service', EVENTS: 'event' } as const

export interface FilterProblem {
  message: string
  /** Null if no correction is known. */
  suggestion: string | null
  /** Position of the problem in code points, counted from 1. */
  column: number
  length: number
}

/** Undefined for other errors, such as one in a saved view's filter, because its position refers to that filter. */
export function problemOf(error: CombinedError | undefined): FilterProblem | undefined {
  const { code, filter } = error?.graphQLErrors[0]?.extensions ?? {}
  return Array.isArray(filter) && code !== 'CONFLICT' ? (filter[0] as FilterProblem) : undefined
}
