/** Stands in a page for what differs from run to run. */
const anything = '…'

/**
 * What differs between what a page shows and what was printed, or undefined. In text `…` is anything within a line, a line of it alone
 * any lines. In JSON it is a part of a string, or a string that stands for any value; last in a list or as a name, for any more. Of JSON
 * on several lines, one an answer, the last is shown.
 */
export function differenceFrom(shown: string, printed: string, language: string): string | undefined {
  const matches = language === 'json' ? jsonMatches(shown, printed) : textPattern(shown).test(`${printed.trim()}\n`)
  return matches ? undefined : `the page shows\n${shown}\nand this was printed:\n${printed}`
}

/** Whether what was printed holds the lines that a page shows. */
export const holds = (shown: string, printed: string): boolean =>
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
  const told = isOpen ? shown.slice(0, -1) : shown
  const fits = isOpen ? printed.length >= told.length : printed.length === told.length
  return fits && told.every((value, index) => matches(value, printed[index]))
}

function objectMatches(shown: object, printed: object): boolean {
  const told = Object.entries(shown).filter(([name]) => name !== anything)
  const fits = anything in shown || Object.keys(printed).length === told.length
  return fits && told.every(([name, value]) => name in printed && matches(value, Reflect.get(printed, name)))
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
