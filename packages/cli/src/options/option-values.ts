import { InvalidArgumentError } from 'commander'

/** Parses `a,b` and appends the names to those of earlier occurrences of the option. */
export const namesWithCommas = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
]

export function columnNames(text: string, before?: readonly string[]): string[] {
  const names = namesWithCommas(text, before)
  if (names.length > 0) return names
  throw new InvalidArgumentError('Expected names separated by commas, such as id,name.')
}

export const collect = (text: string, before: readonly string[] = []): string[] => [...before, text]

export function limitOf(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= Number.MAX_SAFE_INTEGER) return value
  throw new InvalidArgumentError('Expected a whole number of at least 1, or "all".')
}

export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
    throw new InvalidArgumentError(`Expected a whole number ${range}.`)
  }
}
