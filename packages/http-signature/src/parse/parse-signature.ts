import {
  assertSingle,
  collectFields,
  type Fields,
  isWhitespaceAt,
  type Message,
  type ReceivedRequest,
  readMessage,
} from '../message.ts'
import { Rejection, type SignatureReason } from '../rejection-reasons.ts'
import { readCavage } from './cavage.ts'
import type { ParsedSignature } from './parsed-signature.ts'
import { readRfc9421 } from './rfc9421.ts'

export type ParseOutcome =
  /** The request contains no signature, but may contain other credentials. */
  | { outcome: 'none' }
  | { outcome: 'signed'; signature: ParsedSignature }
  /** The signature is invalid for every key. `keyId` is set if the key ID was parsed before the error. */
  | { outcome: 'failed'; reason: SignatureReason; message: string; keyId: string | undefined }

/**
 * Parses the signature of a request, and checks everything that needs no key, body, or clock. Never throws for input
 * from a client.
 */
export function parseSignature(request: ReceivedRequest): ParseOutcome {
  try {
    const fields = collectFields(request.rawHeaders)
    const credentials = findCredentials(fields)
    if (credentials === undefined) return { outcome: 'none' }
    const message = readMessage(request, fields)
    return { outcome: 'signed', signature: readSignature(credentials, message) }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    return { outcome: 'failed', reason: error.reason, message: error.message, keyId: error.keyId }
  }
}

const scheme = 'signature'

/** A signature in form B, or the parameters of form A in `text`. */
type Credentials = { form: 'rfc9421' } | { form: 'cavage'; text: string }

/**
 * Finds the signature of a request. Checks Signature-Input first (RFC 9421 appendix A). Ignores an Authorization header
 * with another scheme and, without Signature-Input, an empty Signature header. Throws a Rejection if the
 * Authorization header and the other headers both contain a signature, or if form A has several Signature headers.
 */
function findCredentials(fields: Fields): Credentials | undefined {
  const inAuthorization = (fields.get('authorization') ?? []).flatMap(readSchemeParameters)
  if (fields.has('signature-input')) {
    if (inAuthorization.length > 0) throw new Rejection('both-forms')
    return { form: 'rfc9421' }
  }
  const inSignature = (fields.get('signature') ?? []).filter((value) => value !== '')
  if (inAuthorization.length > 0 && inSignature.length > 0) throw new Rejection('both-forms')
  assertSingle(fields, 'signature')
  const text = inAuthorization[0] ?? inSignature[0]
  return text === undefined ? undefined : { form: 'cavage', text }
}

/**
 * Returns a list with the string after the case-insensitive scheme `Signature` (RFC 9110 §11.4), or an empty list for
 * any other scheme.
 */
function readSchemeParameters(value: string): string[] {
  const isOurs = value.slice(0, scheme.length).toLowerCase() === scheme
  if (!isOurs || (value.length > scheme.length && !isWhitespaceAt(value, scheme.length))) return []
  return [value.slice(scheme.length)]
}

const readSignature = (credentials: Credentials, message: Message): ParsedSignature =>
  credentials.form === 'rfc9421' ? readRfc9421(message) : readCavage(credentials.text, message)
