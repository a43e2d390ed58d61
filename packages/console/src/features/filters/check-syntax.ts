import { checkFilter } from '@muster/filter'
import { type FilterProblem, filterKinds, type ListKind } from './filter-problem.ts'

/** Checks the syntax of a filter in the browser. The server checks the names of attributes. */
export const syntaxProblemOf = (where: string, kind: ListKind): FilterProblem | undefined =>
  checkFilter(where, { kind: filterKinds[kind] }).problems[0]
