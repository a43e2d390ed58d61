import { readCavage } from './cavage.ts'
import {
  assertSingle,
  collectFields,
  type Fields,
  isBlankAt,
  type Message,
  type ReceivedRequest,
  readMessage,
} from './message.ts'
import type { ParsedSignature } from './parsed-signature.ts'
import { Refusal, type SignatureReason } from './reasons.ts'
import { readRfc9421 } from './rfc9421.ts'

/** What `parseSignature` found. */
export type ParseOutcome =
  /** No signature at all: other credentials, or none. */
  | { outcome: 'none' }
  | { outcome: 'signed'; signature: ParsedSignature }
  /** A signature that is invalid whatever the key. `keyId` is set if it could be read. */
  | { outcome: 'failed'; reason: SignatureReason; message: string; keyId: string | undefined }

/**
 * Reads the signature of a request, in either form, and checks all that does not need its key, its body or a clock:
 * bounds, syntax, repeated headers, the form of the target and what is covered. Never throws for what a client sent.
 */
export function parseSignature(request: ReceivedRequest): ParseOutcome {
  try {
    const fields = collectFields(request.rawHeaders)
    const credentials = findCredentials(fields)
    if (credentials === undefined) return { outcome: 'none' }
    const message = readMessage(request, fields)
    return { outcome: 'signed', signature: readSignature(credentials, message) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { outcome: 'failed', reason: error.reason, message: error.message, keyId: error.keyId }
  }
}

const scheme = 'signature'

/** Form B, or the parameters of form A. */
type Credentials = { form: 'rfc9421' } | { form: 'cavage'; text: string }

/** RFC 9421 appendix A: look for Signature-Input first. An empty Authorization counts as none. */
function findCredentials(fields: Fields): Credentials | undefined {
  const inAuthorization = (fields.get('authorization') ?? []).flatMap(readSchemeParameters)
  if (fields.has('signature-input')) {
    if (inAuthorization.length > 0) throw new Refusal('both-forms')
    return { form: 'rfc9421' }
  }
  const inSignature = (fields.get('signature') ?? []).filter((value) => value !== '')
  if (inAuthorization.length > 0 && inSignature.length > 0) throw new Refusal('both-forms')
  assertSingle(fields, 'signature')
  const text = inAuthorization[0] ?? inSignature[0]
  return text === undefined ? undefined : { form: 'cavage', text }
}

/** RFC 9110 §11.4: the scheme in either case, and what follows it if it is ours. */
function readSchemeParameters(value: string): string[] {
  const isOurs = value.slice(0, scheme.length).toLowerCase() === scheme
  if (!isOurs || (value.length > scheme.length && !isBlankAt(value, scheme.length))) return []
  return [value.slice(scheme.length)]
}

const readSignature = (credentials: Credentials, message: Message): ParsedSignature =>
  credentials.form === 'rfc9421' ? readRfc9421(message) : readCavage(credentials.text, message)
