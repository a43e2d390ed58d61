import { randomBytes } from 'node:crypto'

const form = /^80(:[0-9a-f]{2}){7}$/

/**
 * Returns a new ID for a device or service: eight bytes in lowercase hex. The first byte is 80, and the others are
 * random.
 */
export function newId(): string {
  const hex = randomBytes(8).toString('hex')
  return `80${hex.slice(2).replace(/../g, ':$&')}`
}

/**
 * Returns the ID in the stored form, which is lowercase. Returns undefined for a malformed ID. Callers treat a
 * malformed ID like an unknown one and do not report its format.
 */
export function parseId(text: string): string | undefined {
  const id = text.toLowerCase()
  return form.test(id) ? id : undefined
}
