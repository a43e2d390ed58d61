import { ApiError, badInput } from '../errors.ts'

/**
 * Refuses text that the database cannot hold, U+0000 or half a surrogate pair, and text of more than `maxLength`
 * characters. A character is a Unicode code point: an emoji of one code point counts as one.
 *
 * `path` is the argument as the caller wrote it, such as `name` or `services[2].name`.
 */
export function assertText(value: string, path: string, maxLength: number): void {
  assertStorable(value, path)
  const length = characters(value)
  if (length > maxLength) {
    throw new ApiError('LIMIT_EXCEEDED', `${path} may have ${maxLength} characters at most, found ${length}`, {
      limit: maxLength,
      found: length,
    })
  }
}

/** `assertText`, and at least one character that is not blank. */
export function assertName(value: string, path: string, maxLength: number): void {
  assertText(value, path, maxLength)
  if (value.trim() === '') throw badInput(`${path} must not be empty`)
}

/** Refuses text that PostgreSQL or JSON cannot hold: U+0000 and lone surrogates. */
export function assertStorable(value: string, path: string): void {
  if (value.includes('\u0000')) throw badInput(`${path} must not contain the character U+0000`)
  if (!value.isWellFormed()) throw badInput(`${path} must not contain half of a surrogate pair`)
}

/**
 * Characters that do not show, or that change the order in which others show: the soft hyphen, the Mongolian vowel separator, and
 * the zero-width, bidirectional, and separating characters of Unicode's general punctuation. With them, two names that look the
 * same are not. Zero-width joiners are among them, so an emoji that is joined of several cannot be part of a name.
 */
const invisible = /[\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/u

/** Rejects bidirectional and zero-width characters. */
export function assertVisible(value: string, path: string): void {
  const found = invisible.exec(value)?.[0]
  if (found === undefined) return
  const code = found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  throw badInput(`${path} must not contain invisible characters, such as U+${code}`)
}

/** Characters as people count them in limits: code points, not UTF-16 units. */
export function characters(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}
