import { algorithmOf, isSignatureOf, type VerificationKey } from './algorithms.ts'
import { checkDigests } from './body-digest.ts'
import { coveredField } from './message.ts'
import type { ParsedSignature } from './parsed-signature.ts'
import { Refusal, type SignatureReason } from './reasons.ts'
import { signatureBase } from './signature-base.ts'
import { type Place, spellings } from './spellings.ts'
import { decoyKey } from './unknown-key.ts'

/** What a signature is verified against. */
export type VerifyOptions = Place & {
  /** The key that the signature names; undefined if there is none, which costs and answers like a wrong signature. */
  key: VerificationKey | undefined
  /** Whether a request with a body must cover a digest of it. */
  requireDigest: boolean
  /** The body, as the bytes received and before any decoding; undefined if there is none. */
  body: Uint8Array | undefined
  /** The verifier's clock, in seconds since 1970. */
  now: number
  /** How far the signer's clock may be off, in seconds: 300 if left away. */
  clockSkew?: number | undefined
}

/** What `verifySignature` found. */
export type VerifyOutcome =
  | {
      ok: true
      keyId: string
      /** When it was signed, in seconds since 1970. */
      created: number
      /** To be remembered until `created` plus the skew, and refused when it comes again with the same key. */
      nonce: string | undefined
      /** Whether the body cannot have been changed: a covered digest fits, or there is no body. */
      coversBody: boolean
    }
  | { ok: false; reason: SignatureReason; message: string }

const defaultClockSkew = 300
const noBody = new Uint8Array()

/**
 * Verifies one signature that `parseSignature` returned: clock, signature, then what it says of the body. Never throws
 * for what a client sent. That a nonce is used once only is for the caller to enforce.
 */
export function verifySignature(parsed: ParsedSignature, options: VerifyOptions): VerifyOutcome {
  try {
    assertClock(parsed, options)
    if (!isSigned(parsed, options)) throw new Refusal('bad-signature')
    // Only from here on may an answer depend on the key: whoever gets here holds it.
    const coversBody = checkBody(parsed, options)
    return { ok: true, keyId: parsed.keyId, created: parsed.created, nonce: parsed.nonce, coversBody }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
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
    throw new Refusal('clock-skew', `By the server's clock the request was signed ${when}; ${clockSkew} s are allowed.`)
  }
  if (expires !== undefined && now > expires) throw new Refusal('expired')
}

/** RFC 9421 §3.2. The key alone decides the algorithm (§3.2 step 6); a name in the request is only compared with it. */
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
  const body = options.body ?? noBody
  if (components.includes('content-length') && coveredField(message.fields, 'content-length') !== String(body.length)) {
    throw new Refusal(
      'length-mismatch',
      `The covered content-length is not ${body.length}, the number of bytes received.`,
    )
  }
  const coversBody = checkDigests(message.fields, components, body) || body.length === 0
  if (options.requireDigest && !coversBody) throw new Refusal('digest-required')
  return coversBody
}
