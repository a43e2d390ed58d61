/** The code that the search box loads on demand. */
export { toCodePoints, toIndex } from '@muster/filter'
export { syntaxProblemOf } from './check-syntax.ts'
export { FilterTokens } from './filter-highlighting.tsx'
