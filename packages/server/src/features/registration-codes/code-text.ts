import { createHash, randomBytes } from 'node:crypto'

/** RFC 4648 §6: no characters with a special meaning in a shell or a URL. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 150 random bits. Lists show six characters, with 20 of these bits; the others cannot be guessed. */
export const newCode = (): string => `MC${Array.from(randomBytes(30), (byte) => alphabet[byte & 31]).join('')}`

export const prefixOf = (code: string): string => code.slice(0, 6)

/** The stored form of a code. A fast hash without a salt is safe, because the code is 150 random bits. */
export const hashCode = (code: string): Buffer => createHash('sha256').update(code).digest()
