/** This module exports the parts of the filter language that the search box uses. */
export { toCodePoints, toIndex } from '@muster/filter'
export { syntaxProblemOf } from './check-syntax.ts'
export { FilterTokens } from './filter-highlighting.tsx'
