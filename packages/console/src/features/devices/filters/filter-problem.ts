import { checkFilter } from '@muster/filter'
import type { CombinedError } from 'urql'

/** What is wrong with a filter. */
export interface FilterProblem {
  message: string
  /** The whole corrected filter; null if it cannot be determined. */
  suggestion: string | null
  /** The place, in code points from 1. */
  column: number
  length: number
}

/** Checks the syntax of a filter without the server. Names of attributes are not checked. */
export function syntaxProblemOf(where: string): FilterProblem | undefined {
  return checkFilter(where).problems[0]
}

/** The first problem of a filter that the server rejected. Undefined for other errors. */
export function problemOf(error: CombinedError | undefined): FilterProblem | undefined {
  const problems = error?.graphQLErrors[0]?.extensions.filter
  return Array.isArray(problems) ? (problems[0] as FilterProblem) : undefined
}
