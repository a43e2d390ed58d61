const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const plain = /^[\x20-\x7e]*$/

/** Characters that are two terminal columns wide: East Asian wide and full-width characters (UAX #11), and emoji. */
const wide =
  /^(?:\p{Emoji_Presentation}|.\uFE0F|[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{1B2FF}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}])/u
const none = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u

export function widthOf(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment)
  return width
}

function graphemeWidth(grapheme: string): number {
  if (none.test(grapheme)) return 0
  return wide.test(grapheme) ? 2 : 1
}

/** Truncates a string to at most `width` terminal columns, including the ellipsis at the end of a truncated string. */
export function clip(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += graphemeWidth(segment)
    if (used > width - 1) break
    kept += segment
  }
  return `${kept}…`
}

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/**
 * Control characters, line separators, and text direction marks, which the CLI escapes, because untrusted strings must
 * not control the terminal.
 */
const unsafe = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu
const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

export const visible = (text: string): string =>
  text.replace(unsafe, (character) => escapes[character] ?? codeOf(character))

const codeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
