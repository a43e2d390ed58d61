import { parseTime } from '../../db/type-parsers.ts'

const MS_A_DAY = 86_400_000

const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))

/** A cache of the last formatted day and its string, because the times in a response are often on the same day. */
let lastDay = Number.NaN
let lastDayText = ''

/** Formats a time like `toISOString()`, but faster. A page can contain thousands of timestamps. */
export function formatTime(date: Date): string {
  const time = date.getTime()
  const day = Math.floor(time / MS_A_DAY)
  if (day !== lastDay) {
    // An invalid date always reaches this call, which throws an error.
    lastDayText = date.toISOString().slice(0, -'00:00:00.000Z'.length)
    lastDay = day
  }
  const inDay = time - day * MS_A_DAY
  const hours = twoDigits[Math.floor(inDay / 3_600_000)]
  const minutes = twoDigits[Math.floor(inDay / 60_000) % 60]
  const seconds = twoDigits[Math.floor(inDay / 1_000) % 60]
  const milliseconds = inDay % 1_000
  const hundreds = milliseconds < 100 ? '0' : ''
  return `${lastDayText}${hours}:${minutes}:${seconds}.${hundreds}${twoDigits[milliseconds] ?? milliseconds}Z`
}

export const ZONE = '+00'
export const DATE_LENGTH = '2026-11-20'.length

const fractions = ['.000Z', undefined, '00Z', '0Z', 'Z']

/**
 * Takes a time that the database wrote without trailing zeros, such as `2026-11-20 08:30:00.12+00`. Returns the string
 * that replaces the zone in the API's format, such as `0Z`. Returns undefined for times with more than three decimal
 * places, another zone, or another era, which must be parsed.
 */
export const fractionOf = (text: string): string | undefined =>
  text[DATE_LENGTH] === ' ' && text.endsWith(ZONE)
    ? fractions[text.length - '2026-11-20 08:30:00+00'.length]
    : undefined

export function formatStoredTime(text: string): string {
  const fraction = fractionOf(text)
  if (fraction === undefined) return formatTime(parseTime(text))
  return `${text.slice(0, DATE_LENGTH)}T${text.slice(DATE_LENGTH + 1, -ZONE.length)}${fraction}`
}
