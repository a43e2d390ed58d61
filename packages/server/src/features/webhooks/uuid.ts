import { randomBytes } from 'node:crypto'

let lastMs = 0
let counter = 0

/**
 * Returns a UUIDv7 (RFC 9562 §5.7). A counter orders the UUIDs within a millisecond (§6.2, method 1), so each UUID is
 * greater than all previous UUIDs of the same process.
 */
export function uuidv7(now: number = Date.now()): string {
  if (now > lastMs) {
    lastMs = now
    counter = randomBytes(1)[0]!
  } else if (++counter > 0xfff) {
    lastMs++
    counter = 0
  }
  const bytes = randomBytes(16)
  bytes.writeUIntBE(lastMs, 0, 6)
  bytes[6] = 0x70 | (counter >> 8)
  bytes[7] = counter & 0xff
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
