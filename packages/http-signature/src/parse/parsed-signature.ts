import type { Algorithm } from '../algorithms.ts'
import { coveredField, type Fields, type Message } from '../message.ts'
import { Rejection } from '../rejection-reasons.ts'

/** `cavage`: draft-cavage-http-signatures-12, form A. `rfc9421`: RFC 9421, form B. */
export type SignatureForm = 'cavage' | 'rfc9421'

/** A parsed signature that covers the required components but is not yet verified. */
export type ParsedSignature = {
  readonly form: SignatureForm
  /** ID of the key that the client claims to use. */
  readonly keyId: string
  /** The algorithm that the signature names, if any. The verifier only compares it with the key's algorithm. */
  readonly algorithm: Algorithm | undefined
  /** The covered components, in order: lowercase header names, `@…` in form B, and `(…)` in form A. */
  readonly components: readonly string[]
  /**
   * When the client signed the request, in seconds since 1970: `created` in form B, or the covered `(created)` or
   * `date` in form A.
   */
  readonly created: number
  /** When the signature expires, in seconds since 1970, or undefined if the signature covers no such time. */
  readonly expires: number | undefined
  /** A string that the client uses only once with this key. The caller must reject a repetition. */
  readonly nonce: string | undefined
  readonly signature: Buffer
  /** The value of the `@signature-params` line (RFC 9421 §2.3), which only form B has. */
  readonly parameters: string | undefined
  readonly message: Message
}

const maxComponents = 20
/** Maximum number of characters in a nonce. */
export const maxNonce = 256
const keyIdPattern = /^[A-Za-z0-9._-]{1,128}$/

/** The range of valid times, in seconds since 1970: from 2001 to 2286. */
const earliest = 1e9
const latest = 1e10

export function readKeyId(text: string | undefined): string {
  if (text === undefined)
    throw new Rejection(
      'missing-parameter',
      'The signature must contain a key ID: keyId in form A, or keyid in form B.',
    )
  if (!isKeyId(text))
    throw new Rejection(
      'malformed',
      'The key ID must consist of 1 to 128 ASCII letters, digits, dots, hyphens, and underscores.',
    )
  return text
}

export const isKeyId = (text: string): boolean => keyIdPattern.test(text)

export const isTime = (seconds: number): boolean => Number.isInteger(seconds) && seconds >= earliest && seconds < latest

/**
 * Throws a Rejection if the list has duplicates or more than `maxComponents` items. Also throws if a header in the list
 * is missing, repeated, or invalid.
 */
export function assertComponentList(components: readonly string[], fields: Fields): void {
  if (components.length > maxComponents)
    throw new Rejection(
      'too-large',
      `The signature covers ${components.length} components. At most ${maxComponents} are allowed.`,
    )
  components.forEach((name, index) => {
    if (components.indexOf(name) < index)
      throw new Rejection('duplicate-component', `The signature covers ${name} twice.`)
    if (!name.startsWith('@') && !name.startsWith('(')) coveredField(fields, name)
  })
}

/** Runs a step. If the step throws a rejection, adds the key ID of the request to the rejection. */
export function withKeyId<T>(keyId: string, step: () => T): T {
  try {
    return step()
  } catch (error) {
    if (error instanceof Rejection) error.keyId = keyId
    throw error
  }
}
