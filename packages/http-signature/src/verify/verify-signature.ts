import { algorithmOf, isSignatureOf, type VerificationKey } from '../algorithms.ts'
import { coveredField } from '../message.ts'
import type { ParsedSignature } from '../parse/parsed-signature.ts'
import { Rejection, type SignatureReason } from '../rejection-reasons.ts'
import { signatureBase } from '../signature-base.ts'
import { checkDigests } from './body-digest.ts'
import { decoyKey } from './decoy-key.ts'
import { type ServerAddress, spellings } from './spellings.ts'

export type VerifyOptions = ServerAddress & {
  /**
   * Key of the client, or undefined if the key does not exist. Without a key, the outcome and the duration are the same
   * as for a wrong signature.
   */
  key: VerificationKey | undefined
  /** Whether the signature of a request with a body must cover a digest of the body. */
  requireDigest: boolean
  /** The received bytes of the body before decoding, or undefined if there is no body. */
  body: Uint8Array | undefined
  /** The current time of the verifier, in seconds since 1970. */
  now: number
  /** The maximum difference between the time of the signature and `now`, in seconds. Default: 300. */
  clockSkew?: number | undefined
}

export type VerifyOutcome =
  | {
      ok: true
      keyId: string
      /** When the client signed the request, in seconds since 1970. */
      created: number
      /**
       * Store the nonce for `clockSkew` plus one second after `created`, and reject a second request with the same key
       * and nonce. The additional second is necessary because `now` is rounded down.
       */
      nonce: string | undefined
      /** Whether the body is authentic: a covered digest matches, or there is no body. */
      coversBody: boolean
    }
  | { ok: false; reason: SignatureReason; message: string }

const defaultClockSkew = 300
const emptyBody = new Uint8Array()

/**
 * Verifies the time first, then the signature, then the body. Never throws for input from a client. The caller must
 * ensure that each nonce is used only once.
 */
export function verifySignature(parsed: ParsedSignature, options: VerifyOptions): VerifyOutcome {
  try {
    assertClock(parsed, options)
    if (!isSigned(parsed, options)) throw new Rejection('bad-signature')
    // From this point on, the outcome can depend on the key, because the signer has proved possession of the key.
    const coversBody = checkBody(parsed, options)
    return { ok: true, keyId: parsed.keyId, created: parsed.created, nonce: parsed.nonce, coversBody }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    return { ok: false, reason: error.reason, message: error.message }
  }
}

function assertClock(
  { created, expires }: ParsedSignature,
  { now, clockSkew = defaultClockSkew }: VerifyOptions,
): void {
  const age = Math.floor(now) - created
  if (!(Math.abs(age) <= clockSkew)) {
    const when = age > 0 ? `${age} s ago` : `${-age} s in the future`
    throw new Rejection(
      'clock-skew',
      `By the server's clock, the request was signed ${when}. The maximum difference is ${clockSkew} s. Check the client's clock.`,
    )
  }
  if (expires !== undefined && now > expires) throw new Rejection('expired')
}

/**
 * Returns whether the key signed the request. The key determines the algorithm (RFC 9421 §3.2 step 6), and an algorithm
 * that the request names must match.
 */
function isSigned(parsed: ParsedSignature, options: VerifyOptions): boolean {
  const algorithm = algorithmOf(parsed.signature)!
  const isUsable = options.key?.algorithm === algorithm && (parsed.algorithm ?? algorithm) === algorithm
  const key = isUsable ? options.key! : decoyKey(algorithm)
  for (const spelling of spellings(parsed.message.host, options, parsed.components)) {
    if (isSignatureOf(key, signatureBase(parsed, spelling), parsed.signature)) return isUsable
  }
  return false
}

function checkBody({ components, message }: ParsedSignature, options: VerifyOptions): boolean {
  const body = options.body ?? emptyBody
  if (components.includes('content-length') && coveredField(message.fields, 'content-length') !== String(body.length))
    throw new Rejection(
      'length-mismatch',
      `The covered Content-Length must be ${body.length}, the number of bytes in the received body.`,
    )
  const coversBody = checkDigests(message.fields, components, body) || body.length === 0
  if (options.requireDigest && !coversBody) throw new Rejection('digest-required')
  return coversBody
}
