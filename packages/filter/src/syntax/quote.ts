/**
 * A string that can contain wildcards, split at the wildcards: `os*` is `['os', '']`. An array of one string contains
 * no wildcard.
 */
export type Parts = readonly string[]

const keywords: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT'])

/** Returns whether a word is AND, OR, or NOT. As a name or value, such a word needs quotes. */
export const isKeyword = (word: string): boolean => keywords.has(word)

export const quote = (parts: Parts): string => `"${parts.map((part) => part.replaceAll(/["\\*]/g, '\\$&')).join('*')}"`

/** Formats a literal without quotes. The caller must ensure that the literal needs none. */
export const unquoted = (parts: Parts): string => parts.map((part) => part.replaceAll('*', '\\*')).join('*')

const plainValue = /^[\p{L}_*][\p{L}\p{N}_@.:/+*-]*$/u
const plainWord = /^[\p{L}_*][\p{L}\p{N}_@/+*-]*$/u
const plainId = /^80(?::[0-9a-f]{2})+$/
const plainName = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u

/**
 * Formats a value. Quotes every string that the parser could otherwise read as a number, a time, a keyword, or several
 * tokens.
 */
export const writeValue = (parts: Parts): string => write(parts, (text) => plainValue.test(text) || plainId.test(text))

/**
 * Formats a word that has no comparator. Unlike `writeValue`, also quotes strings with dots or colons, except IDs.
 * Otherwise, the parser would read a dot as a separator of levels, and a colon as a comparator.
 */
export const writeWord = (parts: Parts): string => write(parts, (text) => plainWord.test(text) || plainId.test(text))

export const writeLevel = (level: string): string => write([level], (text) => plainName.test(text))

/** Formats a name as the argument of a function, where dots are ordinary characters. */
export const writeNameArgument = (name: string): string =>
  write([name], (text) => text.split('.').every((level) => plainName.test(level)))

function write(parts: Parts, isPlain: (text: string) => boolean): string {
  const hasAsterisk = parts.some((part) => part.includes('*'))
  const text = parts.join('*')
  return !hasAsterisk && text !== 'now' && !isKeyword(text) && isPlain(text) ? text : quote(parts)
}
