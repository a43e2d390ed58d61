import { crc32 } from 'node:zlib'
import { badInput } from '../../errors.ts'

/** The sort key of an item: a string, a time in milliseconds since 1970, or a number. Null if the item has no value. */
export type SortKey = string | number | null

/** A position in a list: after the item with this key and ID, even if that item no longer exists. */
export interface Place {
  /** An array if the list is sorted by several keys. */
  key: SortKey | readonly SortKey[]
  id: string
}

/** The prefix distinguishes cursors from IDs, and from cursors in another version of the format. */
const PREFIX = 'c1.'

export const isCursor = (text: string): boolean => text.startsWith(PREFIX)

/** `order` names the list and its sort order, because a position is meaningless in any other list or order. */
export function encodeCursor(order: string, { key, id }: Place): string {
  const json = Buffer.from(JSON.stringify([order, key, id]))
  return PREFIX + Buffer.concat([checksum(json), json]).toString('base64url')
}

/**
 * Throws BAD_USER_INPUT for a truncated or changed cursor, and for a cursor for another list or order. Accepts a forged
 * cursor with a correct checksum and storable values. Such a cursor shows only items that the caller may list anyway.
 * `path` is the argument's name for error messages.
 */
export function decodeCursor(text: string, order: string, path: string): Place {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url')
  const json = bytes.subarray(4)
  const parts = checksum(json).equals(bytes.subarray(0, 4)) ? parse(json) : undefined
  if (parts === undefined) throw badInput(`${path} is not a valid cursor: pass the cursor of a previous page unchanged`)
  if (parts[0] !== order)
    throw badInput(
      `${path} is a cursor for another list or sort order: use the same list, sort, and context as before, ` +
        'or start from the first page if a view has changed',
    )
  return { key: parts[1], id: parts[2] }
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}

function parse(json: Buffer): [order: string, key: Place['key'], id: string] | undefined {
  try {
    const parts: unknown = JSON.parse(json.toString())
    return isParts(parts) ? parts : undefined
  } catch {
    return undefined
  }
}

function isParts(parts: unknown): parts is [string, Place['key'], string] {
  if (!Array.isArray(parts) || parts.length !== 3) return false
  const [order, key, id] = parts as unknown[]
  const keys: unknown[] = Array.isArray(key) ? key : [key]
  const areStorable = keys.every((each) => each === null || isStorable(each))
  return typeof order === 'string' && typeof id === 'string' && isStorable(id) && areStorable
}

/** Checks whether the database accepts a key or ID: a safe integer, or a string without U+0000 or lone surrogates. */
function isStorable(key: unknown): boolean {
  if (typeof key === 'string') return !key.includes('\u0000') && key.isWellFormed()
  return Number.isSafeInteger(key)
}
