const dateTimeForm =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?))?$/

/** A time in milliseconds since 1970. A date without a time means midnight UTC. */
export interface ParsedTime {
  readonly milliseconds: number
  readonly isDate: boolean
}

/**
 * Parses an ISO 8601 date-time with a zone, or a date, in the years 1 to 9999. Ignores digits after milliseconds.
 * Returns undefined for any other string.
 */
export function parseTime(text: string): ParsedTime | undefined {
  const match = dateTimeForm.exec(text)
  if (match === null) return undefined
  const [year, month, day] = [match[1], match[2], match[3]].map(Number)
  // Set the year separately, because `Date.UTC` would read the years 0 to 99 as 1900 to 1999. Check the day, because
  // `Date.UTC` accepts February 30 as a day in March.
  const midnight = new Date(Date.UTC(2000, month! - 1, day))
  midnight.setUTCFullYear(year!, month! - 1, day)
  if (midnight.getUTCDate() !== day || midnight.getUTCMonth() !== month! - 1) return undefined
  // Rewrite the fraction and the zone, because the date-time format of ECMAScript allows neither a comma before the
  // fraction nor a zone without minutes or a colon.
  const form = text
    .toUpperCase()
    .replace(',', '.')
    .replace(/(\.\d{3})\d+/, '$1')
  const time = new Date(form.replace(/(T.*[+-]\d{2})$/, '$1:00').replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))
  const fullYear = time.getUTCFullYear()
  if (Number.isNaN(time.getTime()) || fullYear < 1 || fullYear > 9999) return undefined
  return { milliseconds: time.getTime(), isDate: match[4] === undefined }
}

export const formatTime = (milliseconds: number): string => new Date(milliseconds).toISOString().replace('.000Z', 'Z')

export const formatDate = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)
