import type { CombinedError } from 'urql'

export type ListKind = 'DEVICES' | 'SERVICES' | 'EVENTS'

export const filterKinds = { DEVICES: 'device', SERVICES: 'service', EVENTS: 'event' } as const

export interface FilterProblem {
  message: string
  /** Null if no correction is known. */
  suggestion: string | null
  column: number
  length: number
}

/** Undefined for other errors. */
export function problemOf(error: CombinedError | undefined): FilterProblem | undefined {
  const problems = error?.graphQLErrors[0]?.extensions.filter
  return Array.isArray(problems) ? (problems[0] as FilterProblem) : undefined
}
