import pg from 'pg'

const { builtins, getTypeParser } = pg.types
const parseAnyTime = getTypeParser(builtins.TIMESTAMPTZ) as (text: string) => Date

const withTimes = (parse: (text: string) => unknown): pg.CustomTypesConfig => ({
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === builtins.TIMESTAMPTZ && format !== 'binary'
      ? parse
      : getTypeParser(oid, format as 'text')) as typeof getTypeParser,
})

export const types = withTimes(parseTime)

declare const stored: unique symbol

/** An unparsed time, for queries that read thousands of rows and return only some of them. `parseTime` converts it. */
export type StoredTime = string & { readonly [stored]: true }

/** Like `types`, but leaves times as strings. */
export const typesWithStoredTimes = withTimes((text) => text)

/** PostgreSQL's time format on connections in UTC: `2026-11-20 08:30:00.12+00`. The fraction has no trailing zeros. */
const UTC_TIME = /^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/

/** Parses a UTC time much faster than `pg` does, and passes other formats to `pg`. A row can contain several times. */
export function parseTime(text: string): Date {
  if (!UTC_TIME.test(text)) return parseAnyTime(text)
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const time = Date.UTC(
    year,
    twoDigits(text, 5) - 1,
    twoDigits(text, 8),
    twoDigits(text, 11),
    twoDigits(text, 14),
    twoDigits(text, 17),
  )
  return new Date(text.length === 22 ? time : time + Math.floor(Number(text.slice(19, -3)) * 1_000))
}

const twoDigits = (text: string, at: number): number => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528
