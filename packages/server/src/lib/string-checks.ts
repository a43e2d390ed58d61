import { badInput, limitExceeded } from '../errors.ts'

/**
 * Rejects strings that the database cannot store (see `assertStorable`), and strings of more than `maxLength`
 * characters. A character is a Unicode code point, so an emoji of one code point counts as one.
 *
 * `path` names the argument in error messages as the caller wrote it, such as `name` or `services[2].name`.
 */
export function assertText(value: string, path: string, maxLength: number): void {
  assertStorable(value, path)
  const length = characters(value)
  if (length > maxLength)
    throw limitExceeded(`${path} may have at most ${maxLength} characters, found ${length}`, {
      limit: maxLength,
      found: length,
    })
}

/** Like `assertText`, but also rejects strings that are empty or contain only whitespace. */
export function assertName(value: string, path: string, maxLength: number): void {
  assertText(value, path, maxLength)
  if (value.trim() === '') throw badInput(`${path} must not be empty or only whitespace`)
}

/** Rejects strings with U+0000 or lone surrogates, because PostgreSQL cannot store them. */
export function assertStorable(value: string, path: string): void {
  if (value.includes('\u0000')) throw badInput(`${path} must not contain the character U+0000`)
  if (!value.isWellFormed()) throw badInput(`${path} must not contain a lone surrogate`)
}

/** With characters that are invisible or change the display order, two different names could look alike. */
const invisible = /[\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/u

export function assertVisible(value: string, path: string): void {
  const found = invisible.exec(value)?.[0]
  if (found === undefined) return
  const code = found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  throw badInput(`${path} must not contain invisible characters, found U+${code}`)
}

/** Counts Unicode code points, not UTF-16 code units. */
export function characters(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}
