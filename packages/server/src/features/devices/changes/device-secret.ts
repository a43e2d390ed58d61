import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The secret with which a device authenticates: 256 random bits, in characters that are safe in a shell and a URL. */
export const newDeviceSecret = (): string => randomBytes(32).toString('base64url')

/** The stored form of a secret. A fast hash without a salt is safe, because the secret is 256 random bits. */
export const hashDeviceSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

const nobodys = randomBytes(32)

/** Compares in constant time. Without a hash, the comparison takes the same time and never matches. */
export function isDeviceSecret(secret: string, hash: Buffer | null | undefined): boolean {
  const matches = timingSafeEqual(hashDeviceSecret(secret), hash ?? nobodys)
  return matches && hash != null
}
