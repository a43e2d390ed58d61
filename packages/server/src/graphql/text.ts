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

/** Characters as people count them in limits: code points, not UTF-16 units. */
export function characters(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}
