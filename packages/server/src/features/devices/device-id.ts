import { randomBytes } from 'node:crypto'

const form = /^80(:[0-9a-f]{2}){7}$/

/** A new id for a device or service: eight bytes as lower-case hex pairs. The first is 80, the others are random. */
export function newId(): string {
  const hex = randomBytes(8).toString('hex')
  return `80${hex.slice(2).replace(/../g, ':$&')}`
}

/**
 * The id as stored, from input in upper or lower case; undefined if it cannot be the id of a device or service. This is not a
 * format error: an impossible id gets the same response as an unknown one.
 */
export function parseId(text: string): string | undefined {
  const id = text.toLowerCase()
  return form.test(id) ? id : undefined
}
