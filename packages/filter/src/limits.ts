/** Limits of a filter. A filter that exceeds a limit has a problem of the kind `limit`. */
export const filterLimits = {
  /** Maximum number of characters (Unicode code points) in a filter. */
  filterLength: 4096,
  /**
   * Maximum number of restrictions. A list of values in parentheses counts as a fifth of its values, but at least as
   * one.
   */
  filterTerms: 50,
  /** Maximum number of nested parentheses, not counting the parentheses of functions. */
  filterDepth: 10,
  /** Maximum number of literals with wildcards. */
  filterPatterns: 10,
  /** Maximum number of wildcards in one literal. */
  patternWildcards: 4,
  /** Maximum number of values in one list. */
  listValues: 100,
} as const

export type FilterLimit = keyof typeof filterLimits

/** Reports at most this many syntax errors, but all semantic errors. */
export const MAX_SYNTAX_ERRORS = 5
