import { createHash, randomBytes } from 'node:crypto'

/** RFC 4648 §6: nothing that a shell or a URL would take apart. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 150 random bits. Six characters, 20 bits of them, are shown in lists; what is left cannot be guessed. */
export const newCode = (): string => `MC${Array.from(randomBytes(30), (byte) => alphabet[byte & 31]).join('')}`

export const prefixOf = (code: string): string => code.slice(0, 6)

/** How it is stored. It is random, so a plain hash tells nothing of it. */
export const hashCode = (code: string): Buffer => createHash('sha256').update(code).digest()
