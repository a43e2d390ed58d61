import { InvalidArgumentError } from 'commander'

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

function findSeconds(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * secondsOf[unit!]!
}

/** Parses a duration such as 12h. Returns seconds. */
export function span(text: string): number {
  const seconds = findSeconds(text)
  if (seconds !== undefined) return seconds
  throw new InvalidArgumentError('Expected a duration such as 30s, 5m, 12h, 7d, or 2w.')
}

/** Returns a parser of durations of at most the given number of days. The parser also accepts `0`. */
export function spanUpTo(days: number) {
  return (text: string): number => {
    const seconds = text === '0' ? 0 : span(text)
    if (seconds <= days * 86_400) return seconds
    throw new InvalidArgumentError(`Expected a duration from 0s to ${days}d, such as 12h.`)
  }
}

/** Parses a date, or a duration before now. Returns an ISO 8601 timestamp. */
export const pastMoment = (text: string): string => moment(text, -1)

/** Parses a date, or a duration from now. Returns an ISO 8601 timestamp. */
export const futureMoment = (text: string): string => moment(text, 1)

function moment(text: string, direction: 1 | -1): string {
  const seconds = findSeconds(text)
  const date = seconds === undefined ? dateOf(text) : new Date(Date.now() + direction * seconds * 1_000)
  if (date !== undefined && !Number.isNaN(date.getTime())) return date.toISOString()
  throw new InvalidArgumentError(
    'Expected a date such as 2026-11-20 or 2026-11-20T14:00:00Z, or a duration such as 12h or 7d.',
  )
}

/**
 * Parses a date, in local time by default. Returns undefined for other formats and for days that do not exist, and may
 * return an invalid Date.
 */
function dateOf(text: string): Date | undefined {
  const [, day, time = 'T00:00:00', zone = ''] =
    /^(\d{4}-\d\d-\d\d)(?:([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? []
  if (day === undefined || !isDay(day)) return undefined
  return new Date(`${day}${time.replace(' ', 'T')}${zone}`)
}

/** Returns whether a date such as 2026-11-20 exists. `Date` accepts February 30 as a day in March. */
export const isDay = (day: string): boolean => new Date(day).toJSON()?.startsWith(day) === true
