import { randomFillSync } from 'node:crypto'

const form = /^80(:[0-9a-f]{2}){7}$/

/** The number of random bytes in an ID. */
const ID_BYTES = 7
/** Holds the random bytes for 512 IDs, because calling the random number generator for each ID would be slow. */
const random = Buffer.alloc(512 * ID_BYTES)
let used = random.length

/**
 * An ID is eight bytes in lowercase hexadecimal, separated by colons. The first byte is 80, and the others are random.
 */
export function newId(): string {
  if (used + ID_BYTES > random.length) {
    randomFillSync(random)
    used = 0
  }
  const hex = random.toString('hex', used, used + ID_BYTES)
  used += ID_BYTES
  return `80${hex.replace(/../g, ':$&')}`
}

/**
 * Returns the ID in its stored form, which is lowercase. Returns undefined for a malformed ID, so that callers can
 * treat it like an unknown ID.
 */
export function parseId(text: string): string | undefined {
  const id = text.toLowerCase()
  return form.test(id) ? id : undefined
}
