/** A string with wildcards, as the strings between them: `os*` is `['os', '']`. One string means no wildcard. */
export type Parts = readonly string[]

const keywords: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT'])

/** Whether a word is AND, OR, or NOT. To use one as a name or a value, quote it. */
export const isKeyword = (word: string): boolean => keywords.has(word)

/** Writes a literal in double quotes, with its wildcards. */
export const quote = (parts: Parts): string => `"${parts.map((part) => part.replaceAll(/["\\*]/g, '\\$&')).join('*')}"`

/** Writes a literal without quotes. The caller knows that its characters allow it. */
export const unquoted = (parts: Parts): string => parts.map((part) => part.replaceAll('*', '\\*')).join('*')

const plainValue = /^[\p{L}_*][\p{L}\p{N}_@.:/+*-]*$/u
const plainWord = /^[\p{L}_*][\p{L}\p{N}_@/+*-]*$/u
const plainId = /^80(?::[0-9a-f]{2})+$/
const plainName = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u

/**
 * Writes a string or pattern right of a comparator. Quotes it unless it begins with a letter and has only characters that
 * never have another meaning, so that it cannot be read as a number, a time, or a keyword.
 */
export const writeValue = (parts: Parts): string => write(parts, (text) => plainValue.test(text) || plainId.test(text))

/** Writes a bare word. Left of a comparator, dots and colons have a meaning. */
export const writeWord = (parts: Parts): string => write(parts, (text) => plainWord.test(text) || plainId.test(text))

/** Writes one level of a name. */
export const writeLevel = (level: string): string => write([level], (text) => plainName.test(text))

/** Writes a name as the argument of a function, where dots are ordinary characters. */
export const writeNameArgument = (name: string): string =>
  write([name], (text) => text.split('.').every((level) => plainName.test(level)))

function write(parts: Parts, isPlain: (text: string) => boolean): string {
  const hasAsterisk = parts.some((part) => part.includes('*'))
  const text = parts.join('*')
  return !hasAsterisk && text !== 'now' && !isKeyword(text) && isPlain(text) ? text : quote(parts)
}
