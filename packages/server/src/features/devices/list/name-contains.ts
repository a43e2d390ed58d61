import { type RawBuilder, sql } from 'kysely'

/** A case-insensitive part of a name, in the form of the trigram index of devices. */
export function nameContains(column: RawBuilder<unknown>, part: string): RawBuilder<unknown> {
  const escaped = part.replaceAll(/[\\%_]/g, '\\$&')
  const name = lower(column)
  if (!hasSigma.test(part)) return sql`${name} like ${patternOf(escaped)}`
  // The lower-case form of a capital sigma depends on the next character, which a part of a name may not include. The index
  // therefore matches any character in its place, and the second condition accepts both forms.
  const widened = patternOf(escaped.replaceAll(/[Σσς]/g, '_'))
  return sql`(${name} like ${widened} and ${foldSigma(name)} like ${foldSigma(patternOf(escaped))})`
}

const hasSigma = /[Σσς]/

const lower = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`lower(${text} collate "und-x-icu")`

const patternOf = (escaped: string): RawBuilder<unknown> => lower(sql`${`%${escaped}%`}::text`)

const foldSigma = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`translate(${text}, 'ς', 'σ')`
