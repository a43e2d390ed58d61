import { checkFilter } from '@muster/filter'
import { type FilterProblem, filterKinds, type ListKind } from './filter-problem.ts'

/** Returns a filter's first problem, if any. Does not check attribute names, which only the server knows. */
export const syntaxProblemOf = (where: string, kind: ListKind): FilterProblem | undefined =>
  checkFilter(where, { kind: filterKinds[kind] }).problems[0]
