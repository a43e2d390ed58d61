import { configError, type Entry } from './ini.ts'

const anyOf = new Intl.ListFormat('en', { type: 'disjunction' })
const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Parses a duration such as 30s, 5m, 1h, or 30d. Returns milliseconds, or undefined for any other string. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,9})\s*([smhd])$/.exec(text) ?? []
  const seconds = secondsOf[unit]
  return seconds === undefined ? undefined : Number(digits) * seconds * 1_000
}

/**
 * Returns a setting's duration in milliseconds. Throws if the setting is not a duration from `least` to `most`, which
 * are in seconds. The error also names `other`, a word that the caller accepts instead of a duration.
 */
export function durationOf(
  entry: Entry,
  { least, most, other }: { least: number; most: number; other?: string },
): number {
  const found = parseDuration(entry.value)
  if (found !== undefined && found >= least * 1_000 && found <= most * 1_000) return found
  throw configError(
    entry,
    `"${entry.key}" must be ${other === undefined ? '' : `"${other}" or `}a duration from ${durationText(least)} to ${durationText(most)}, such as 5m, not "${entry.value}"`,
  )
}

/** Formats seconds in the largest unit that results in a whole number. */
function durationText(seconds: number): string {
  const unit = ['d', 'h', 'm'].find((each) => seconds % secondsOf[each]! === 0) ?? 's'
  return `${seconds / secondsOf[unit]!}${unit}`
}

export function yesOrNo(entry: Entry): boolean {
  if (/^(yes|true|on|1)$/i.test(entry.value)) return true
  if (/^(no|false|off|0)$/i.test(entry.value)) return false
  throw configError(entry, `"${entry.key}" must be yes or no, not "${entry.value}"`)
}

export function textOf(entry: Entry, most: number): string {
  if (entry.value !== '' && Array.from(entry.value).length <= most) return entry.value
  throw configError(entry, `"${entry.key}" must have 1 to ${most} characters`)
}

export function portOf(text: string): number | undefined {
  const port = Number(text)
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined
}

export function urlOf(entry: Entry, schemes: readonly string[]): string {
  const url = URL.canParse(entry.value) ? new URL(entry.value) : undefined
  if (url !== undefined && schemes.includes(url.protocol.slice(0, -1)) && url.hostname !== '') return entry.value
  throw configError(
    entry,
    `"${entry.key}" must be a URL with a host and the scheme ${anyOf.format(schemes)}, not "${entry.value}"`,
  )
}

export function assertKnown(entries: readonly Entry[], known: readonly string[], section: string): void {
  const unknown = entries.find(({ key }) => !known.includes(key))
  if (unknown === undefined) return
  const where = section === '' ? 'before the first section' : `in [${section}]`
  throw configError(unknown, `"${unknown.key}" is not a valid setting ${where}. Known settings: ${known.join(', ')}`)
}
