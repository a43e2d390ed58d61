import {
  type InnerList,
  type Item,
  isInnerList,
  parseDictionary,
  serializeInnerList,
  serializeItem,
} from 'structured-headers'

/** A member of a Dictionary, and the way it is written. */
export type Member = { value: Item | InnerList; text: string }

/**
 * Reads a Dictionary (RFC 9651 §3.2) that is written the one canonical way, blanks between its parts aside; undefined
 * if it is not. The parser alone lets the last of equal keys or parameters win, takes base64 with stray bits and no
 * padding, and does not tell `1` from `1.0` or `01`: written back and compared, none of these survives.
 */
export function parseCanonicalDictionary(text: string): ReadonlyMap<string, Member> | undefined {
  try {
    const members = new Map<string, Member>()
    for (const [key, value] of parseDictionary(text)) members.set(key, { value, text: write(value) })
    const canonical = Array.from(members, ([key, member]) => `${key}=${member.text}`).join(', ')
    return canonical === text || withoutBlanks(canonical) === withoutBlanks(text) ? members : undefined
  } catch {
    return undefined
  }
}

const write = (value: Item | InnerList): string =>
  isInnerList(value) ? serializeInnerList(value) : serializeItem(value)

/** Drops blanks outside of quoted strings, which are the only ones that mean something. */
function withoutBlanks(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|[ \t]+/g, (part) => (part.startsWith('"') ? part : ''))
}
