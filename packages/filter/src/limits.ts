/** The limits of a filter. A filter that exceeds a limit has a problem of the kind `limit`. */
export const filterLimits = {
  /** Characters (Unicode code points) of a filter. */
  filterLength: 4096,
  /** Restrictions. A list of values in parentheses counts as a fifth of its values, and at least as one. */
  filterTerms: 50,
  /** Levels of parentheses, not counting the parentheses of functions. */
  filterDepth: 10,
  /** Literals with wildcards. */
  filterPatterns: 10,
  /** Wildcards in one literal. */
  patternWildcards: 4,
  /** Values of one list. */
  listValues: 100,
} as const

export type FilterLimit = keyof typeof filterLimits

/** The maximum number of reported syntax errors. Semantic errors are always reported. */
export const MAX_SYNTAX_ERRORS = 5
