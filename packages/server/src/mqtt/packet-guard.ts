import type { Duplex } from 'node:stream'

export interface PacketGuard {
  authenticated(): void
}

export interface PacketLimits {
  /** The maximum number of bytes that a connection may send before it authenticates. */
  unauthenticated: number
  /** The maximum size, in bytes, of each packet after authentication. */
  packet: number
}

/**
 * Checks the bytes read from a connection before the broker buffers them. Calls `onViolation` if they exceed a limit or
 * are malformed. Wraps `read`, because piping through another stream would use more memory for each connection.
 */
export function guardPackets(stream: Duplex, limits: PacketLimits, onViolation: (reason: string) => void): PacketGuard {
  const count = countPackets()
  let isAuthenticated = false
  let received = 0

  const findViolation = (chunk: Buffer): string | undefined => {
    const longest = count(chunk)
    if (longest === undefined) return 'malformed packet length'
    if (isAuthenticated) return longest > limits.packet ? 'packet too large' : undefined
    received += chunk.length
    return Math.max(received, longest) > limits.unauthenticated ? 'too much data before authentication' : undefined
  }

  const read = stream.read.bind(stream)
  stream.read = (size?: number | null): unknown => {
    const chunk: unknown = size == null ? readAll(read) : read(size)
    const reason = chunk instanceof Buffer ? findViolation(chunk) : undefined
    if (reason === undefined) return chunk
    onViolation(reason)
    return null
  }
  return {
    authenticated() {
      isAuthenticated = true
    },
  }
}

/**
 * Reads all buffered data, or returns null if there is none. Since Node 26, `read()` returns only the first chunk, but
 * the broker may read only once per event.
 */
function readAll(read: () => Buffer | null): Buffer | null {
  const chunks: Buffer[] = []
  for (let chunk = read(); chunk !== null; chunk = read()) chunks.push(chunk)
  return chunks.length > 1 ? Buffer.concat(chunks) : (chunks[0] ?? null)
}

/** The maximum size of the length field, in bytes (MQTT 3.1.1 §2.2.3). */
const MAX_LENGTH_BYTES = 4

/**
 * The returned function determines the declared size of the longest packet in a chunk. It returns undefined if a length
 * is malformed (MQTT 3.1.1 §2.2.3).
 */
function countPackets(): (chunk: Buffer) => number | undefined {
  let current = 0
  let remaining = 0
  /** The number of bytes that have been read of a packet's length field, or -1 outside a length field. */
  let lengthBytes = -1

  return (chunk) => {
    let longest = remaining > 0 ? current : 0
    let at = 0
    while (at < chunk.length) {
      if (remaining > 0) {
        const skipped = Math.min(remaining, chunk.length - at)
        remaining -= skipped
        at += skipped
        continue
      }
      const byte = chunk[at++]!
      if (lengthBytes < 0) {
        lengthBytes = 0
        current = 0
        continue
      }
      if (lengthBytes === MAX_LENGTH_BYTES) return undefined
      current += (byte & 0x7f) * 128 ** lengthBytes
      lengthBytes++
      if ((byte & 0x80) !== 0) continue
      remaining = current
      current += 1 + lengthBytes
      longest = Math.max(longest, current)
      lengthBytes = -1
    }
    return longest
  }
}
