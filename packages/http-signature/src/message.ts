import { Refusal } from './reasons.ts'

/** A request as it arrived. */
export type ReceivedRequest = {
  /** The method, in the case received. */
  method: string
  /** The request target exactly as received: path and query (Node's `req.url`). */
  target: string
  /** Names and values by turns, in order and with repetitions (Node's `req.rawHeaders`). */
  rawHeaders: readonly string[]
}

/** Header values by lower-case name, one entry for each line received. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** What a signature is over. */
export type Message = { method: string; target: string; fields: Fields; host: HostField }

/** The one Host header: the name in the case received, and the port where it has one. */
export type HostField = { name: string; port: string | undefined }

/** RFC 9110 §5.6.2. */
export const tokenCharacters = "!#$%&'*+.^_`|~0-9A-Za-z-"

/** Form A signs the method in lower case, so that only capitals, which all known methods have, stand for themselves. */
export const methodPattern = /^[!#$%&'*+.^_`|~0-9A-Z-]+$/
/** RFC 9112 §3.2.1: no blank, no fragment, nothing outside ASCII. */
const targetPattern = /^\/[\x21\x22\x24-\x7e]*$/
const valuePattern = /^[\t\x20-\x7e]*$/
const hostPattern = /^([A-Za-z0-9._~%!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$/

/** Node keeps only the first of some of these and joins others, so a second one could be read but not signed. */
const singleFields = ['host', 'authorization', 'date', 'digest', 'content-digest', 'content-type', 'content-length']

const maxHeaderBytes = 16 * 1024
const maxCredentialBytes = 4 * 1024

export function collectFields(rawHeaders: readonly string[]): Fields {
  const fields = new Map<string, string[]>()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    const value = trimBlanks(rawHeaders[i + 1]!)
    const lines = fields.get(name)
    if (lines === undefined) fields.set(name, [value])
    else lines.push(value)
  }
  return fields
}

/** Checks everything about a request that does not depend on which signature it carries. */
export function readMessage(request: ReceivedRequest, fields: Fields): Message {
  assertBounds(request.rawHeaders, fields)
  if (fields.size * 2 < request.rawHeaders.length) for (const name of singleFields) assertSingle(fields, name)
  if (!methodPattern.test(request.method))
    throw new Refusal('malformed', 'The request method is not a token in capitals.')
  if (!targetPattern.test(request.target)) throw new Refusal('target-form')
  return { method: request.method, target: request.target, fields, host: readHost(fields) }
}

export function assertSingle(fields: Fields, name: string): void {
  const count = fields.get(name)?.length ?? 0
  if (count > 1) throw new Refusal('duplicate-header', `The header ${name} stands ${count} times; it may stand once.`)
}

/** The value of a header that is covered: there once, and of characters that a signature base can hold (RFC 9421 §2.5). */
export function coveredField(fields: Fields, name: string): string {
  const lines = fields.get(name)
  if (lines === undefined)
    throw new Refusal('missing-header', `The signature covers ${name}, which the request has not.`)
  if (lines.length > 1) assertSingle(fields, name)
  const value = lines[0]!
  if (!valuePattern.test(value)) {
    throw new Refusal('malformed-header', `The header ${name} holds characters outside of printable ASCII.`)
  }
  return value
}

export function parseHost(text: string): HostField | undefined {
  const match = hostPattern.exec(text)
  return match === null ? undefined : { name: match[1]!, port: match[2] }
}

function readHost(fields: Fields): HostField {
  const host = parseHost(coveredField(fields, 'host'))
  if (host === undefined) throw new Refusal('malformed-host')
  return host
}

/** All lines of a header as one (RFC 9110 §5.3); empty where there is none. */
export function joinedField(fields: Fields, name: string): string {
  const lines = fields.get(name)
  if (lines === undefined) return ''
  return lines.length === 1 ? lines[0]! : lines.join(', ')
}

function assertBounds(rawHeaders: readonly string[], fields: Fields): void {
  let bytes = 0
  for (const part of rawHeaders) bytes += part.length + 2
  if (bytes > maxHeaderBytes)
    throw new Refusal('too-large', `The headers have ${bytes} bytes; ${maxHeaderBytes} are allowed.`)
  for (const name of ['authorization', 'signature', 'signature-input']) {
    const { length } = joinedField(fields, name)
    if (length > maxCredentialBytes) {
      throw new Refusal('too-large', `The header ${name} has ${length} bytes; ${maxCredentialBytes} are allowed.`)
    }
  }
}

/** Leading and trailing blanks are not part of a value (RFC 9110 §5.5). A regular expression would take quadratic time. */
function trimBlanks(value: string): string {
  let start = 0
  let end = value.length
  while (start < end && isBlankAt(value, start)) start++
  while (end > start && isBlankAt(value, end - 1)) end--
  return value.slice(start, end)
}

export function isBlankAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code === 0x20 || code === 0x09
}
