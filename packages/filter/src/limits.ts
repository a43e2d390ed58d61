/** The limits of a filter. A filter over a limit has a problem of the kind `limit`. */
export const filterLimits = {
  /** Characters (Unicode code points) of a filter. */
  filterLength: 4096,
  /** Restrictions. A list of values in parentheses counts as a fifth of its values, and at least as one. */
  filterTerms: 50,
  /** Levels of parentheses. Those of functions do not count. */
  filterDepth: 10,
  /** Literals with wildcards. */
  filterPatterns: 10,
  /** Wildcards in one literal. */
  patternWildcards: 4,
  /** Values of one list. */
  listValues: 100,
} as const

export type FilterLimit = keyof typeof filterLimits

/** Syntax errors that are reported. Semantic errors are all reported. */
export const MAX_SYNTAX_ERRORS = 5
