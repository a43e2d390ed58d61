import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a device signs on with: 256 random bits, in letters that no shell or URL changes. */
export const newDeviceSecret = (): string => randomBytes(32).toString('base64url')

/** How it is stored. It is random, so a plain hash tells nothing of it. */
export const hashDeviceSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

const nobodys = randomBytes(32)

/** Compares in constant time; no hash at all takes the same time and never matches. */
export function isDeviceSecret(secret: string, hash: Buffer | null | undefined): boolean {
  const matches = timingSafeEqual(hashDeviceSecret(secret), hash ?? nobodys)
  return matches && hash != null
}
