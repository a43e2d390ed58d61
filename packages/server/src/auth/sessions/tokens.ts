import { createHash, randomBytes } from 'node:crypto'

/** Returns 256 random bits in base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url')

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
