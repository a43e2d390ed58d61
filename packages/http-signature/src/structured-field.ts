import {
  type InnerList,
  type Item,
  isInnerList,
  type Parameters,
  parseDictionary,
  serializeInnerList,
  serializeItem,
} from 'structured-headers'

/** A member of a Dictionary (RFC 9651 §3.2): a byte sequence, a list in parentheses, or neither. */
export type Member = {
  /** The way it is written. */
  text: string
  /** As base64. */
  bytes: string | undefined
  list: InnerList | undefined
}

export type Members = ReadonlyMap<string, Member>

/** Reads a Dictionary that is written the one canonical way, blanks between its parts aside; undefined if it is not. */
export const parseCanonicalDictionary = (text: string): Members | undefined => readPlain(text) ?? readAny(text)

/**
 * The parser alone lets the last of equal keys or parameters win, takes base64 with stray bits and no padding, and does not tell
 * `1` from `1.0` or `01`: written back and compared, none of these survives.
 */
export function readAny(text: string): Members | undefined {
  try {
    const members = new Map<string, Member>()
    for (const [key, value] of parseDictionary(text)) members.set(key, toMember(value))
    const canonical = Array.from(members, ([key, member]) => `${key}=${member.text}`).join(', ')
    return canonical === text || withoutBlanks(canonical) === withoutBlanks(text) ? members : undefined
  } catch {
    return undefined
  }
}

function toMember(value: Item | InnerList): Member {
  if (isInnerList(value)) return { text: serializeInnerList(value), bytes: undefined, list: value }
  const [bare] = value
  const bytes = bare instanceof ArrayBuffer ? Buffer.from(bare).toString('base64') : undefined
  return { text: serializeItem(value), bytes, list: undefined }
}

/** Drops blanks outside of quoted strings, which are the only ones that mean something. */
function withoutBlanks(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|[ \t]+/g, (part) => (part.startsWith('"') ? part : ''))
}

const key = '[a-z*][a-z0-9_.*-]*'
const string = '"[ !#-[\\]-~]*"'
const integer = '[1-9][0-9]{0,14}'
const strings = `(?:${string}(?: ${string})*)?`
const parameters = `(?:;${key}=(?:${string}|${integer}))*`
/** With padding, and with no bit set that stands for nothing (RFC 4648 §3.5). */
const base64 = '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?'
const plainMember = new RegExp(`(${key})=(?::(${base64}):|(\\((${strings})\\)(${parameters})))(?:, (?=[a-z*])|$)`, 'y')

const noParameters: Parameters = new Map()

/**
 * Reads what is written canonically and holds nothing but byte sequences, and lists of strings whose parameters are strings and
 * numbers, as the headers of nearly every request do: in a tenth of the time. Undefined for all else, of which it says nothing.
 */
export function readPlain(text: string): Members | undefined {
  const members = new Map<string, Member>()
  plainMember.lastIndex = 0
  do {
    const [, label, bytes, list, items, parameters] = plainMember.exec(text) ?? []
    if (label === undefined || members.has(label)) return undefined
    const member = bytes === undefined ? toList(list!, items!, parameters!) : toBytes(bytes)
    if (member === undefined) return undefined
    members.set(label, member)
  } while (plainMember.lastIndex < text.length)
  return members
}

const toBytes = (bytes: string): Member => ({ text: `:${bytes}:`, bytes, list: undefined })

function toList(text: string, items: string, parameters: string): Member | undefined {
  const strings = items === '' ? [] : items.slice(1, -1).split('" "')
  const values: Parameters = new Map()
  // That they are well written is known: what is left is where each begins and ends.
  for (let at = 0; at < parameters.length; ) {
    const equals = parameters.indexOf('=', at)
    const name = parameters.slice(at + 1, equals)
    if (values.has(name)) return undefined
    const isString = parameters[equals + 1] === '"'
    const end = isString ? parameters.indexOf('"', equals + 2) : endOfInteger(parameters, equals)
    values.set(name, isString ? parameters.slice(equals + 2, end) : Number(parameters.slice(equals + 1, end)))
    at = isString ? end + 1 : end
  }
  return { text, bytes: undefined, list: [strings.map((each): Item => [each, noParameters]), values] }
}

function endOfInteger(parameters: string, from: number): number {
  const end = parameters.indexOf(';', from)
  return end < 0 ? parameters.length : end
}
