import { type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto'
import { hmacSha256 } from './hmac.ts'
import { Rejection } from './rejection-reasons.ts'

export type Algorithm = 'hmac-sha256' | 'ed25519'

/** The verifier's part of an access key. Do not modify the bytes of a secret, because `hmacSha256` caches its pads. */
export type VerificationKey =
  | { algorithm: 'hmac-sha256'; secret: Uint8Array }
  | { algorithm: 'ed25519'; publicKey: KeyObject }

/** The signer's part of an access key. Do not modify the bytes of a secret, because `hmacSha256` caches its pads. */
export type SigningKey =
  | { algorithm: 'hmac-sha256'; secret: Uint8Array }
  | { algorithm: 'ed25519'; privateKey: KeyObject }

/**
 * Algorithms, keyed by the names that clients send. `hs2019` means "the algorithm of the key" (cavage-12 §E.2). The npm
 * package `http-signature` uses the name `ed25519-sha512` for Ed25519.
 */
const cavageNames = new Map<string, Algorithm | undefined>([
  ['hmac-sha256', 'hmac-sha256'],
  ['ed25519', 'ed25519'],
  ['ed25519-sha512', 'ed25519'],
  ['hs2019', undefined],
])

/** RFC 9421 §6.2.2 defines no name for "the algorithm of the key". Clients omit `alg` instead. */
const rfc9421Names = new Map<string, Algorithm | undefined>([
  ['hmac-sha256', 'hmac-sha256'],
  ['ed25519', 'ed25519'],
])

export const readCavageAlgorithm = (name: string): Algorithm | undefined => lookUp(cavageNames, name.toLowerCase())

export const readRfc9421Algorithm = (name: string): Algorithm | undefined => lookUp(rfc9421Names, name)

/**
 * Determines the algorithm from the signature's length alone. The duration of a verification therefore does not reveal
 * whether a key exists, or which type it has. Returns undefined if no algorithm has signatures of this length.
 */
export function algorithmOf(signature: Uint8Array): Algorithm | undefined {
  if (signature.length === 32) return 'hmac-sha256'
  return signature.length === 64 ? 'ed25519' : undefined
}

/**
 * Decodes a signature: canonical base64 (RFC 4648 §3.5) of 32 or 64 bytes. Rejects a length that does not match the
 * claimed algorithm.
 */
export function readSignature(base64: string, claimed: Algorithm | undefined): Buffer {
  const signature = decodeBase64(base64)
  const algorithm = signature && algorithmOf(signature)
  if (signature === undefined || algorithm === undefined)
    throw new Rejection(
      'malformed',
      'The signature must be canonical base64 of 32 bytes (hmac-sha256) or 64 bytes (ed25519).',
    )
  if (claimed !== undefined && claimed !== algorithm) throw new Rejection('algorithm-mismatch')
  return signature
}

/** Decodes padded base64. Returns undefined if encoding the bytes again does not reproduce the input. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

export function isSignatureOf(key: VerificationKey, base: string, signature: Buffer): boolean {
  if (key.algorithm === 'ed25519') return verify(null, Buffer.from(base, 'latin1'), key.publicKey, signature)
  const expected = hmacSha256(key.secret, base)
  return expected.length === signature.length && timingSafeEqual(expected, signature)
}

export function signBase(key: SigningKey, base: string): Buffer {
  if (key.algorithm === 'ed25519') return sign(null, Buffer.from(base, 'latin1'), key.privateKey)
  return hmacSha256(key.secret, base)
}

function lookUp(names: ReadonlyMap<string, Algorithm | undefined>, name: string): Algorithm | undefined {
  if (!names.has(name)) throw new Rejection('algorithm-unsupported')
  return names.get(name)
}
