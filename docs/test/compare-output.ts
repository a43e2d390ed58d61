/** Placeholder in pages for output that differs between runs. */
const anything = '…'

/**
 * Describes the difference between printed output and the output that a page shows. Returns undefined if they match.
 *
 * - In text, `…` matches any part of a line. Alone on a line, it matches any number of lines.
 * - In JSON, `…` matches any part of a string. As a whole string, it matches any value. As the last item of a list, it
 *   matches any further items. As a member name, it matches any further members.
 * - If the block shows JSON and the printed output is not a single JSON document, only the last line of the output is
 *   compared.
 */
export function describeDifference(shown: string, printed: string, language: string): string | undefined {
  const matches = language === 'json' ? jsonMatches(shown, printed) : textPattern(shown).test(`${printed.trim()}\n`)
  return matches ? undefined : `the page shows\n${shown}\nbut the command printed\n${printed}`
}

/** Returns whether consecutive lines of printed output match the lines of text that a page shows. */
export const containsLines = (shown: string, printed: string): boolean =>
  new RegExp(`(?:^|\\n)${lines(shown)}`, 'u').test(`${printed}\n`)

const textPattern = (shown: string): RegExp => new RegExp(`^${lines(shown)}$`, 'u')

const lines = (shown: string): string =>
  shown
    .trim()
    .split('\n')
    .map((line) => (line.trim() === anything ? '(?:.*\\n)*?' : `${inLine(line)}\\n`))
    .join('')

const inLine = (text: string): string => text.split(anything).map(escapePattern).join('.*?')

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

function jsonMatches(shown: string, printed: string): boolean {
  try {
    return matches(JSON.parse(shown), lastJson(printed))
  } catch {
    return false
  }
}

function lastJson(printed: string): unknown {
  try {
    return JSON.parse(printed)
  } catch {
    return JSON.parse(printed.trim().split('\n').at(-1) ?? '')
  }
}

function matches(shown: unknown, printed: unknown): boolean {
  if (typeof shown === 'string') {
    if (shown === anything) return true
    return typeof printed === 'string' && new RegExp(`^${inLine(shown)}$`, 'su').test(printed)
  }
  if (Array.isArray(shown)) return Array.isArray(printed) && listMatches(shown, printed)
  if (typeof shown === 'object' && shown !== null) return isObject(printed) && objectMatches(shown, printed)
  return shown === printed
}

function listMatches(shown: unknown[], printed: unknown[]): boolean {
  const isOpen = shown.at(-1) === anything
  const items = isOpen ? shown.slice(0, -1) : shown
  const fits = isOpen ? printed.length >= items.length : printed.length === items.length
  return fits && items.every((value, index) => matches(value, printed[index]))
}

function objectMatches(shown: object, printed: object): boolean {
  const members = Object.entries(shown).filter(([name]) => name !== anything)
  const fits = anything in shown || Object.keys(printed).length === members.length
  return fits && members.every(([name, value]) => name in printed && matches(value, Reflect.get(printed, name)))
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
