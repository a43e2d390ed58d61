import type { CombinedError } from 'urql'

export type ListKind = 'DEVICES' | 'SERVICES' | 'EVENTS'

export const filterKinds = { DEVICES: 'device', SERVICES: 'service', EVENTS: 'event' } as const

export interface FilterProblem {
  message: string
  /** Null if no correction is known. */
  suggestion: string | null
  /** Position, in code points and counted from 1, at which the problem begins. */
  column: number
  length: number
}

/**
 * Returns the server's error about the typed filter. Returns undefined for other errors, including CONFLICT, whose
 * position refers to the filter of a saved view.
 */
export function problemOf(error: CombinedError | undefined): FilterProblem | undefined {
  const { code, filter } = error?.graphQLErrors[0]?.extensions ?? {}
  return Array.isArray(filter) && code !== 'CONFLICT' ? (filter[0] as FilterProblem) : undefined
}
