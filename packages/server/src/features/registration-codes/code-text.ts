import { createHash, randomBytes } from 'node:crypto'

/** Base32 (RFC 4648 §6): no character has a special meaning in a shell or a URL. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns a new code with 150 random bits. Lists show the code's first characters, which reveal 20 of these bits. */
export const newCode = (): string => `MC${Array.from(randomBytes(30), (byte) => alphabet[byte & 31]).join('')}`

export const prefixOf = (code: string): string => code.slice(0, 6)

/** A fast, unsalted hash is safe, because the code has 150 random bits. */
export const hashCode = (code: string): Buffer => createHash('sha256').update(code).digest()
