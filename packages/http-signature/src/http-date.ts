const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Matches IMF-fixdate (RFC 9110 §5.6.7), or the same format with `UTC` instead of `GMT`, which some tools write. */
const pattern =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4}) (\d{2}):(\d{2}):(\d{2}) (?:GMT|UTC)$/

/** Parses a Date header into seconds since 1970. Returns undefined for an invalid header. */
export function parseHttpDate(text: string): number | undefined {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [day, year, hour, minute, second] = [match[1], match[3], match[4], match[5], match[6]].map(Number) as number[]
  const month = months.indexOf(match[2]!)
  if (hour! > 23 || minute! > 59 || second! > 60) return undefined
  const date = new Date(Date.UTC(year!, month, day, hour, minute, second))
  return new Date(Date.UTC(year!, month, day)).getUTCDate() === day ? date.getTime() / 1000 : undefined
}

export const formatHttpDate = (seconds: number): string => new Date(seconds * 1000).toUTCString()
