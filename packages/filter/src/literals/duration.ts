const SECONDS = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 }

/** Maximum length of a duration: 100 years. */
const MAX_SECONDS = 36_525 * SECONDS.d

const form = /^(?=\d)(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/

/**
 * Parses a duration of at most 100 years, such as `2d` or `1d12h`, into seconds. Returns undefined for any other
 * string.
 */
export function parseDuration(text: string): number | undefined {
  const match = form.exec(text)
  if (match === null) return undefined
  const seconds = Object.values(SECONDS).reduce((sum, unit, index) => sum + unit * Number(match[index + 1] ?? 0), 0)
  return seconds <= MAX_SECONDS ? seconds : undefined
}

/** Parses `now`, or a sign and a duration, into seconds from now. Returns undefined for any other string. */
export function parseRelativeTime(text: string): number | undefined {
  if (text === 'now') return 0
  if (!text.startsWith('-') && !text.startsWith('+')) return undefined
  const seconds = parseDuration(text.slice(1))
  if (seconds === undefined) return undefined
  return text.startsWith('-') && seconds > 0 ? -seconds : seconds
}

export function formatDuration(seconds: number): string {
  let rest = seconds
  let text = ''
  for (const [unit, length] of Object.entries(SECONDS)) {
    const count = Math.floor(rest / length)
    if (count > 0) text += `${count}${unit}`
    rest -= count * length
  }
  return text === '' ? '0s' : text
}

export function formatRelativeTime(seconds: number): string {
  if (seconds === 0) return 'now'
  return (seconds < 0 ? '-' : '+') + formatDuration(Math.abs(seconds))
}
