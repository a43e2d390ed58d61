import { createHmac, createSecretKey, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto'
import { Refusal } from './reasons.ts'

/** The algorithms of access keys. */
export type Algorithm = 'hmac-sha256' | 'ed25519'

/** What a verifier holds of an access key. The bytes of a secret must not be changed afterwards. */
export type VerificationKey =
  | { algorithm: 'hmac-sha256'; secret: Uint8Array }
  | { algorithm: 'ed25519'; publicKey: KeyObject }

/** What a signer holds of an access key. The bytes of a secret must not be changed afterwards. */
export type SigningKey =
  | { algorithm: 'hmac-sha256'; secret: Uint8Array }
  | { algorithm: 'ed25519'; privateKey: KeyObject }

/**
 * Names that clients give, and the algorithm each stands for. `hs2019` is "whatever the key is" (cavage-12 §E.2), and
 * `ed25519-sha512` is what npm `http-signature` calls Ed25519.
 */
const cavageNames = new Map<string, Algorithm | undefined>([
  ['hmac-sha256', 'hmac-sha256'],
  ['ed25519', 'ed25519'],
  ['ed25519-sha512', 'ed25519'],
  ['hs2019', undefined],
])

/** RFC 9421 §6.2.2 has no name for "whatever the key is"; there, one leaves `alg` away. */
const rfc9421Names = new Map<string, Algorithm | undefined>([
  ['hmac-sha256', 'hmac-sha256'],
  ['ed25519', 'ed25519'],
])

export const readCavageAlgorithm = (name: string): Algorithm | undefined => lookUp(cavageNames, name.toLowerCase())

export const readRfc9421Algorithm = (name: string): Algorithm | undefined => lookUp(rfc9421Names, name)

/**
 * The algorithm that made a signature, told by its length alone. What work a verifier does then depends on the request
 * and never on the key, so that the time taken does not tell whether a key exists or of which kind it is.
 */
export function algorithmOf(signature: Uint8Array): Algorithm | undefined {
  if (signature.length === 32) return 'hmac-sha256'
  return signature.length === 64 ? 'ed25519' : undefined
}

/** A signature: canonical base64 (RFC 4648 §3.5) of 32 or 64 bytes, and not of another length than the name says. */
export function readSignature(base64: string, claimed: Algorithm | undefined): Buffer {
  const signature = decodeBase64(base64)
  const algorithm = signature && algorithmOf(signature)
  if (signature === undefined || algorithm === undefined) {
    throw new Refusal('malformed', 'The signature is not canonical base64 of 32 bytes (hmac-sha256) or 64 (ed25519).')
  }
  if (claimed !== undefined && claimed !== algorithm) throw new Refusal('algorithm-mismatch')
  return signature
}

/** Decodes base64 with its padding, and nothing that would be written otherwise when encoded again. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

export function isSignatureOf(key: VerificationKey, base: string, signature: Buffer): boolean {
  if (key.algorithm === 'ed25519') return verify(null, Buffer.from(base, 'latin1'), key.publicKey, signature)
  const expected = hmac(key.secret, base)
  return expected.length === signature.length && timingSafeEqual(expected, signature)
}

export function signBase(key: SigningKey, base: string): Buffer {
  if (key.algorithm === 'ed25519') return sign(null, Buffer.from(base, 'latin1'), key.privateKey)
  return hmac(key.secret, base)
}

/** Turning bytes into a key takes five times as long as the MAC itself, so the key is kept for as long as its bytes are. */
const secretKeys = new WeakMap<Uint8Array, KeyObject>()

function hmac(secret: Uint8Array, base: string): Buffer {
  let key = secretKeys.get(secret)
  if (key === undefined) {
    key = createSecretKey(secret)
    secretKeys.set(secret, key)
  }
  return createHmac('sha256', key).update(base, 'latin1').digest()
}

function lookUp(names: ReadonlyMap<string, Algorithm | undefined>, name: string): Algorithm | undefined {
  if (!names.has(name)) throw new Refusal('algorithm-unsupported')
  return names.get(name)
}
