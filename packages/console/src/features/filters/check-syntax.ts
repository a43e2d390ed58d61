import { checkFilter } from '@muster/filter'
import { type FilterProblem, filterKinds, type ListKind } from './filter-problem.ts'

/** Returns the first syntax problem of a filter, if any. The server checks the names of attributes. */
export const syntaxProblemOf = (where: string, kind: ListKind): FilterProblem | undefined =>
  checkFilter(where, { kind: filterKinds[kind] }).problems[0]
