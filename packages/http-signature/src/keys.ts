import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto'
import { decodeBase64 } from './algorithms.ts'

/** The result of `parsePublicKey`: the key and its 32 bytes as base64, or an error message. */
export type PublicKeyOutcome = { ok: true; publicKey: KeyObject; base64: string } | { ok: false; message: string }

const secretLength = 32
const newline = 0x0a

/**
 * The points of order 1, 2, 4, and 8, with a sign bit of 0, including the alternative encodings of two points. Anyone
 * can forge signatures for a key that is one of these points.
 */
const smallOrderPoints = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

/**
 * Returns 32 random bytes in base64. No byte is zero, and the last byte is not a newline, because the shell's
 * `$(base64 -d)` drops such bytes.
 */
export function generateSecret(): string {
  for (;;) {
    const secret = randomBytes(2 * secretLength)
      .filter((byte) => byte !== 0)
      .subarray(0, secretLength)
    if (secret.length === secretLength && secret[secretLength - 1] !== newline)
      return Buffer.from(secret).toString('base64')
  }
}

/** Parses an Ed25519 public key: SPKI as PEM (RFC 8410 §4), or its 32 bytes as base64. */
export function parsePublicKey(text: string): PublicKeyOutcome {
  const trimmed = text.trim()
  if (/PRIVATE KEY/.test(trimmed))
    return reject(
      'This is a private key. Keep it secret, and send the public key. To export the public key, use openssl pkey -pubout, which does not read OpenSSH keys.',
    )
  if (trimmed.startsWith('ssh-'))
    return reject(
      'This is an OpenSSH key. Send a public key as PEM (SPKI): create a key with openssl genpkey -algorithm ed25519, and export its public key with openssl pkey -pubout.',
    )
  return trimmed.startsWith('-----BEGIN') ? fromPem(trimmed) : fromBase64(trimmed)
}

function fromPem(text: string): PublicKeyOutcome {
  if (!/^-----BEGIN PUBLIC KEY-----\r?\n[A-Za-z0-9+/=\r\n]+-----END PUBLIC KEY-----$/.test(text))
    return reject('The PEM string must be one PUBLIC KEY block (SPKI), such as the output of openssl pkey -pubout.')
  try {
    return fromKey(createPublicKey({ key: text, format: 'pem', type: 'spki' }))
  } catch {
    return reject(
      'The PEM block does not contain a valid public key. Export the public key again with openssl pkey -pubout.',
    )
  }
}

function fromBase64(text: string): PublicKeyOutcome {
  const bytes = decodeBase64(text)
  if (bytes === undefined || bytes.length !== 32)
    return reject(
      'An Ed25519 public key must be PEM (SPKI), such as the output of openssl pkey -pubout, or exactly 32 bytes in base64.',
    )
  return fromKey(
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' }),
  )
}

function fromKey(publicKey: KeyObject): PublicKeyOutcome {
  if (publicKey.asymmetricKeyType !== 'ed25519')
    return reject(
      `The key is of type ${publicKey.asymmetricKeyType}, not ed25519. Create an Ed25519 key with openssl genpkey -algorithm ed25519.`,
    )
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  if (hasSmallOrder(point))
    return reject(
      'The public key is a point of small order, so anyone could forge signatures for it. Create another key with openssl genpkey -algorithm ed25519.',
    )
  return { ok: true, publicKey, base64: point.toString('base64') }
}

function hasSmallOrder(point: Buffer): boolean {
  const unsigned = Buffer.from(point)
  unsigned[31] = unsigned[31]! & 0x7f
  return smallOrderPoints.has(unsigned.toString('hex'))
}

const reject = (message: string): PublicKeyOutcome => ({ ok: false, message })
