import { crc32 } from 'node:zlib'
import { badInput } from '../errors.ts'

/** What a list is sorted by, as the item at a place has it: text, milliseconds or a number; null where it is missing. */
export type SortKey = string | number | null

/** A place in a list: behind the item with this key and id, whether or not that item is still there. */
export interface Place {
  key: SortKey
  id: string
}

/** Tells a cursor from an id, and one version of its form from another. */
const PREFIX = 'c1.'

export const isCursor = (text: string): boolean => text.startsWith(PREFIX)

/** `order` names the list and its order: the place means nothing in another one. */
export function encodeCursor(order: string, { key, id }: Place): string {
  const json = Buffer.from(JSON.stringify([order, key, id]))
  return PREFIX + Buffer.concat([checksum(json), json]).toString('base64url')
}

/**
 * The place that a cursor marks. One that was cut or altered is refused; one that was made up with care is not, and shows
 * nothing that its maker could not list anyhow. `path` is the argument it came in.
 */
export function decodeCursor(text: string, order: string, path: string): Place {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url')
  const json = bytes.subarray(4)
  const parts = checksum(json).equals(bytes.subarray(0, 4)) ? parse(json) : undefined
  if (parts === undefined) throw badInput(`${path} is no cursor of this API: give it as it was in the list before`)
  if (parts[0] !== order)
    throw badInput(`${path} is a cursor of another list or order: keep sort and context as they were`)
  return { key: parts[1], id: parts[2] }
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}

function parse(json: Buffer): [order: string, key: SortKey, id: string] | undefined {
  try {
    const parts: unknown = JSON.parse(json.toString())
    return isParts(parts) ? parts : undefined
  } catch {
    return undefined
  }
}

function isParts(parts: unknown): parts is [string, SortKey, string] {
  if (!Array.isArray(parts) || parts.length !== 3) return false
  const [order, key, id] = parts as unknown[]
  return typeof order === 'string' && typeof id === 'string' && isStorable(id) && (key === null || isStorable(key))
}

/** What the database takes as a key or an id: whole numbers, and text without U+0000 and lone surrogates. */
function isStorable(key: unknown): boolean {
  if (typeof key === 'string') return !key.includes('\u0000') && key.isWellFormed()
  return Number.isSafeInteger(key)
}
