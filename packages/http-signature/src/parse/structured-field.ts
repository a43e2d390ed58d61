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
  text: string
  /** The bytes in base64. */
  bytes: string | undefined
  list: InnerList | undefined
}

export type Members = ReadonlyMap<string, Member>

/** Parses a Dictionary that is canonical except for its whitespace. Returns undefined for any other input. */
export const parseCanonicalDictionary = (text: string): Members | undefined => readPlain(text) ?? readAny(text)

/**
 * Parses any Dictionary that is canonical except for its whitespace. Returns undefined for other input, such as
 * duplicate keys or parameters, base64 without padding or with nonzero padding bits, and integers with leading zeros.
 */
export function readAny(text: string): Members | undefined {
  try {
    const members = new Map<string, Member>()
    for (const [key, value] of parseDictionary(text)) members.set(key, toMember(value))
    const canonical = Array.from(members, ([key, member]) => `${key}=${member.text}`).join(', ')
    return canonical === text || removeWhitespace(canonical) === removeWhitespace(text) ? members : undefined
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

/** Removes all spaces and tabs except those in quoted strings. */
function removeWhitespace(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|[ \t]+/g, (part) => (part.startsWith('"') ? part : ''))
}

const key = '[a-z*][a-z0-9_.*-]*'
const string = '"[ !#-[\\]-~]*"'
const integer = '[1-9][0-9]{0,14}'
const strings = `(?:${string}(?: ${string})*)?`
const parameters = `(?:;${key}=(?:${string}|${integer}))*`
/** Matches padded base64 whose padding bits are zero (RFC 4648 §3.5). */
const base64 = '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?'
const plainMember = new RegExp(`(${key})=(?::(${base64}):|(\\((${strings})\\)(${parameters})))(?:, (?=[a-z*])|$)`, 'y')

const noParameters: Parameters = new Map()

/**
 * Parses the fields of nearly all requests, ten times as fast as `readAny`. Returns undefined for all other fields,
 * valid or not.
 */
export function readPlain(text: string): Members | undefined {
  const members = new Map<string, Member>()
  plainMember.lastIndex = 0
  do {
    const match = plainMember.exec(text)
    if (match === null || members.has(match[1]!)) return undefined
    const bytes = match[2]
    const member = bytes === undefined ? toList(match[3]!, match[4]!, match[5]!) : toBytes(bytes)
    if (member === undefined) return undefined
    members.set(match[1]!, member)
  } while (plainMember.lastIndex < text.length)
  return members
}

const toBytes = (bytes: string): Member => ({ text: `:${bytes}:`, bytes, list: undefined })

function toList(text: string, items: string, parameters: string): Member | undefined {
  const strings = items === '' ? [] : items.slice(1, -1).split('" "')
  const values: Parameters = new Map()
  // Only find where each parameter begins and ends, because `plainMember` has already checked the syntax.
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
