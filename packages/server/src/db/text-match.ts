import { type RawBuilder, sql } from 'kysely'

type Sql = RawBuilder<unknown>

/** Matches a column that contains a string, ignoring case. Uses the expression of the trigram indexes. */
export const contains = (column: Sql, part: string): Sql => matchesIgnoringCase(column, ['', part, ''])

/** Matches the whole value of a column, ignoring case. `parts` are the strings between the pattern's wildcards. */
export function matchesIgnoringCase(column: Sql, parts: readonly string[]): Sql {
  const pattern = likePattern(parts)
  const value = lower(column)
  if (!hasSigma.test(pattern)) return sql`${value} like ${lowerPattern(pattern)}`
  // The lowercase form of a capital sigma depends on the characters around it. The indexed condition therefore accepts
  // any character in place of a sigma.
  const widened = lowerPattern(pattern.replaceAll(/[Σσς]/g, '_'))
  return sql`(${value} like ${widened} and ${foldSigma(value)} like ${foldSigma(lowerPattern(pattern))})`
}

/** Matches the whole value of a column, case-sensitively. `parts` are the strings between the pattern's wildcards. */
export const matchesExactly = (column: Sql, parts: readonly string[]): Sql =>
  sql`${column} collate "C" like ${likePattern(parts)}`

const likePattern = (parts: readonly string[]): string =>
  parts.map((part) => part.replaceAll(/[\\%_]/g, '\\$&')).join('%')

const hasSigma = /[Σσς]/

const lower = (text: Sql): Sql => sql`lower(${text} collate "und-x-icu")`

const lowerPattern = (pattern: string): Sql => lower(sql`${pattern}::text`)

const foldSigma = (text: Sql): Sql => sql`translate(${text}, 'ς', 'σ')`
