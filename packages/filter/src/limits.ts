/** Limits of a filter. A filter that exceeds a limit has a problem of the kind `limit`. */
export const filterLimits = {
  /** Maximum number of characters (Unicode code points) in a filter. */
  filterLength: 4096,
  /**
   * Maximum number of conditions. Each value of a list counts as a fifth of a condition, but a list counts as at least
   * one condition.
   */
  filterTerms: 50,
  /** Maximum nesting depth of parentheses, not counting the parentheses of functions. */
  filterDepth: 10,
  /**
   * Maximum number of literals with wildcards. Excludes literals that consist only of wildcards, and arguments of
   * functions.
   */
  filterPatterns: 10,
  /** Maximum number of wildcards in each literal that counts toward `filterPatterns`. */
  patternWildcards: 4,
  /** Maximum number of values in one list. */
  listValues: 100,
} as const

export type FilterLimit = keyof typeof filterLimits

/** Maximum number of reported syntax errors. Semantic errors have no maximum. */
export const MAX_SYNTAX_ERRORS = 5
