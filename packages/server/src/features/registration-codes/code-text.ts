import { createHash, randomBytes } from 'node:crypto'

/** RFC 4648 §6: no characters that are special in a shell or a URL. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 150 random bits. Lists show six characters, 20 bits of them; the rest cannot be guessed. */
export const newCode = (): string => `MC${Array.from(randomBytes(30), (byte) => alphabet[byte & 31]).join('')}`

export const prefixOf = (code: string): string => code.slice(0, 6)

/** The stored form. The input is random, so a plain hash reveals nothing about it. */
export const hashCode = (code: string): Buffer => createHash('sha256').update(code).digest()
