import { type Entry, wrong } from './ini.ts'

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Milliseconds of a time such as 30s, 5m, 1h or 30d; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,9})\s*([smhd])$/.exec(text) ?? []
  const seconds = secondsOf[unit]
  return seconds === undefined ? undefined : Number(digits) * seconds * 1_000
}

/** A time from `least` to `most` seconds, in milliseconds. */
export function durationOf(entry: Entry, { least, most }: { least: number; most: number }): number {
  const found = parseDuration(entry.value)
  if (found !== undefined && found >= least * 1_000 && found <= most * 1_000) return found
  throw wrong(
    entry,
    `${entry.key} must be a time such as 30s, 5m, 1h or 2d, from ${least} to ${most} seconds, not "${entry.value}"`,
  )
}

export function yesOrNo(entry: Entry): boolean {
  if (/^(yes|true|on|1)$/i.test(entry.value)) return true
  if (/^(no|false|off|0)$/i.test(entry.value)) return false
  throw wrong(entry, `${entry.key} must be yes or no, not "${entry.value}"`)
}

export function textOf(entry: Entry, most: number): string {
  if (entry.value !== '' && Array.from(entry.value).length <= most) return entry.value
  throw wrong(entry, `${entry.key} must have 1 to ${most} characters`)
}

export function portOf(text: string): number | undefined {
  const port = Number(text)
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined
}

/** A URL of one of these schemes. */
export function urlOf(entry: Entry, schemes: readonly string[]): string {
  const url = URL.canParse(entry.value) ? new URL(entry.value) : undefined
  if (url !== undefined && schemes.includes(url.protocol.slice(0, -1)) && url.hostname !== '') return entry.value
  throw wrong(entry, `${entry.key} must be a URL that begins with ${schemes.join(', ')}, not "${entry.value}"`)
}

/** Refuses a setting that nobody reads, which most often is a slip of the pen. */
export function assertKnown(entries: readonly Entry[], known: readonly string[], section: string): void {
  const stranger = entries.find(({ key }) => !known.includes(key))
  if (stranger === undefined) return
  const where = section === '' ? 'before the first section' : `in [${section}]`
  throw wrong(stranger, `"${stranger.key}" is no setting ${where}; there are ${known.join(', ')}`)
}
