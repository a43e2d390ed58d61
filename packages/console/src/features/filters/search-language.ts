/** What the search box uses of the filter language. */
export { toCodePoints, toIndex } from '@muster/filter'
export { syntaxProblemOf } from './check-syntax.ts'
export { FilterTokens } from './filter-tokens.tsx'
