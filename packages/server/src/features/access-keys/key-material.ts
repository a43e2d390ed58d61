import { randomBytes } from 'node:crypto'
import { generateSecret, parsePublicKey } from '@muster/http-signature'
import type { Context } from '../../context.ts'
import { badInput } from '../../errors.ts'
import type { NewAccessKey } from './access-keys.queries.ts'

/**
 * Base32 (RFC 4648 §6) omits 0, 1, and 8, which look like O, I, and B. None of its characters has a special meaning in
 * a shell or a URL.
 */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns a new key ID with 90 random bits. */
export const generateKeyId = (): string => `MK${Array.from(randomBytes(18), (byte) => alphabet[byte & 31]).join('')}`

type KeyMaterial = Pick<NewAccessKey, 'algorithm' | 'encryptedSecret' | 'publicKey'> & { secret: string | null }

export function keyMaterial(
  { secrets, viewer }: Pick<Context, 'viewer' | 'secrets'>,
  key: string,
  publicKey: string | null,
): KeyMaterial {
  if (publicKey !== null)
    return { secret: null, algorithm: 'ed25519', encryptedSecret: null, publicKey: readPublicKey(publicKey) }
  const secret = generateSecret()
  const encryptedSecret = secrets.encrypt({ accountId: viewer.accountId, key }, Buffer.from(secret, 'base64'))
  return { secret, algorithm: 'hmac-sha256', encryptedSecret, publicKey: null }
}

/** Accepts an Ed25519 public key as SPKI PEM or as its 32 bytes in base64. Returns the 32 bytes in base64. */
export function readPublicKey(text: string): string {
  const outcome = parsePublicKey(text)
  if (!outcome.ok) throw badInput(`publicKey: ${outcome.message}`)
  return outcome.base64
}
