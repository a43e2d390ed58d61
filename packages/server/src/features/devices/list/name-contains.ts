import { type RawBuilder, sql } from 'kysely'

/** A case-insensitive part of a name, in the form of the trigram index of devices. */
export function nameContains(column: RawBuilder<unknown>, part: string): RawBuilder<unknown> {
  const escaped = part.replaceAll(/[\\%_]/g, '\\$&')
  const name = lower(column)
  if (!hasSigma.test(part)) return sql`${name} like ${patternOf(escaped)}`
  // A capital sigma becomes one of two small ones by what stands behind it, which a part of a name need not have: the index is asked for
  // any character there, and then it must be either.
  const widened = patternOf(escaped.replaceAll(/[Σσς]/g, '_'))
  return sql`(${name} like ${widened} and ${oneSigma(name)} like ${oneSigma(patternOf(escaped))})`
}

const hasSigma = /[Σσς]/

const lower = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`lower(${text} collate "und-x-icu")`

const patternOf = (escaped: string): RawBuilder<unknown> => lower(sql`${`%${escaped}%`}::text`)

const oneSigma = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`translate(${text}, 'ς', 'σ')`
