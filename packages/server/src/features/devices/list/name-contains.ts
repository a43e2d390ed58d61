import { type RawBuilder, sql } from 'kysely'

/** Matches a case-insensitive part of a name, with the expression that the devices' trigram index uses. */
export function nameContains(column: RawBuilder<unknown>, part: string): RawBuilder<unknown> {
  const escaped = part.replaceAll(/[\\%_]/g, '\\$&')
  const name = lower(column)
  if (!hasSigma.test(part)) return sql`${name} like ${patternOf(escaped)}`
  // The lowercase form of a capital sigma depends on the next character, which the part may not include. The first condition
  // uses the index and matches any character instead of a sigma. The second condition accepts only the two forms of a sigma.
  const widened = patternOf(escaped.replaceAll(/[Σσς]/g, '_'))
  return sql`(${name} like ${widened} and ${foldSigma(name)} like ${foldSigma(patternOf(escaped))})`
}

const hasSigma = /[Σσς]/

const lower = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`lower(${text} collate "und-x-icu")`

const patternOf = (escaped: string): RawBuilder<unknown> => lower(sql`${`%${escaped}%`}::text`)

const foldSigma = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`translate(${text}, 'ς', 'σ')`
