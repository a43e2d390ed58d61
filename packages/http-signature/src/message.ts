import { Rejection } from './rejection-reasons.ts'

export type ReceivedRequest = {
  /** The method, with its case as received. */
  method: string
  /** The request target exactly as received: path and query (Node's `req.url`). */
  target: string
  /** Alternating names and values, in order and with repetitions (Node's `req.rawHeaders`). */
  rawHeaders: readonly string[]
}

export type Fields = ReadonlyMap<string, readonly string[]>

export type Message = { method: string; target: string; fields: Fields; host: HostField }

/** The Host header, split into the name as received and the port, if any. */
export type HostField = { name: string; port: string | undefined }

/** The characters of a token (RFC 9110 §5.6.2). */
export const tokenCharacters = "!#$%&'*+.^_`|~0-9A-Za-z-"

/**
 * Accepts only uppercase methods. Form A signs the method in lowercase, so a signature for `GET` would otherwise also
 * be valid for `get`.
 */
export const methodPattern = /^[!#$%&'*+.^_`|~0-9A-Z-]+$/
/** Matches a target in origin form (RFC 9112 §3.2.1). Allows only printable ASCII, without spaces or fragments. */
const targetPattern = /^\/[\x21\x22\x24-\x7e]*$/
const valuePattern = /^[\t\x20-\x7e]*$/
const hostPattern = /^([A-Za-z0-9._~%!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$/

/**
 * Headers that a request may contain only once. Node keeps only the first of some duplicates and joins others, so an
 * unsigned duplicate could take effect.
 */
const singleFields = ['host', 'authorization', 'date', 'digest', 'content-digest', 'content-type', 'content-length']

const maxHeaderBytes = 16 * 1024
const maxCredentialBytes = 4 * 1024

export function collectFields(rawHeaders: readonly string[]): Fields {
  const fields = new Map<string, string[]>()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    const value = trimWhitespace(rawHeaders[i + 1]!)
    const lines = fields.get(name)
    if (lines === undefined) fields.set(name, [value])
    else lines.push(value)
  }
  return fields
}

/**
 * Converts a request to a message. Rejects headers that are too large, repetitions of a header in `singleFields`, and
 * an invalid method, target, or host. Does not check the signature.
 */
export function readMessage(request: ReceivedRequest, fields: Fields): Message {
  assertSizeLimits(request.rawHeaders, fields)
  if (fields.size * 2 < request.rawHeaders.length) for (const name of singleFields) assertSingle(fields, name)
  if (!methodPattern.test(request.method))
    throw new Rejection('malformed', 'The request method must be an uppercase token, such as POST.')
  if (!targetPattern.test(request.target)) throw new Rejection('target-form')
  return { method: request.method, target: request.target, fields, host: readHost(fields) }
}

export function assertSingle(fields: Fields, name: string): void {
  const count = fields.get(name)?.length ?? 0
  if (count > 1) throw new Rejection('duplicate-header', `The header ${name} is present ${count} times. Send it once.`)
}

/**
 * Returns the value of a covered header. The header must be present exactly once and contain only characters that a
 * signature base allows (RFC 9421 §2.5).
 */
export function coveredField(fields: Fields, name: string): string {
  const lines = fields.get(name)
  if (lines === undefined)
    throw new Rejection(
      'missing-header',
      `The request does not contain the header ${name}, which the signature depends on.`,
    )
  if (lines.length > 1) assertSingle(fields, name)
  const value = lines[0]!
  if (!valuePattern.test(value))
    throw new Rejection('malformed-header', `The header ${name} must contain only printable ASCII characters and tabs.`)
  return value
}

export function parseHost(text: string): HostField | undefined {
  const match = hostPattern.exec(text)
  return match === null ? undefined : { name: match[1]!, port: match[2] }
}

function readHost(fields: Fields): HostField {
  const host = parseHost(coveredField(fields, 'host'))
  if (host === undefined) throw new Rejection('malformed-host')
  return host
}

/** Joins all lines of a header (RFC 9110 §5.3). Returns the empty string if there are none. */
export function joinedField(fields: Fields, name: string): string {
  const lines = fields.get(name)
  if (lines === undefined) return ''
  return lines.length === 1 ? lines[0]! : lines.join(', ')
}

function assertSizeLimits(rawHeaders: readonly string[], fields: Fields): void {
  let bytes = 0
  for (const part of rawHeaders) bytes += part.length + 2
  if (bytes > maxHeaderBytes)
    throw new Rejection('too-large', `The headers have ${bytes} bytes. At most ${maxHeaderBytes} are allowed.`)
  for (const name of ['authorization', 'signature', 'signature-input']) {
    const { length } = joinedField(fields, name)
    if (length > maxCredentialBytes)
      throw new Rejection(
        'too-large',
        `The value of the header ${name} has ${length} bytes. At most ${maxCredentialBytes} are allowed.`,
      )
  }
}

/** Removes leading and trailing whitespace (RFC 9110 §5.5). A regular expression would take quadratic time. */
function trimWhitespace(value: string): string {
  let start = 0
  let end = value.length
  while (start < end && isWhitespaceAt(value, start)) start++
  while (end > start && isWhitespaceAt(value, end - 1)) end--
  return value.slice(start, end)
}

export function isWhitespaceAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code === 0x20 || code === 0x09
}
