import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Returns a new device secret: 256 random bits, encoded in characters that are safe in a shell and a URL. */
export const newDeviceSecret = (): string => randomBytes(32).toString('base64url')

/** A fast, unsalted hash is safe, because the secret has 256 random bits. */
export const hashDeviceSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

const dummyHash = randomBytes(32)

/** Compares a secret with a hash in constant time. Without a hash, returns false after the same time. */
export function isDeviceSecret(secret: string, hash: Buffer | null | undefined): boolean {
  const matches = timingSafeEqual(hashDeviceSecret(secret), hash ?? dummyHash)
  return matches && hash != null
}
