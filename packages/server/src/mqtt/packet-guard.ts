import type { Duplex } from 'node:stream'

/** Why a connection is cut, for the log. */
export type Violation = (reason: string) => void

export interface PacketGuard {
  /** From here on the limits of a device that has signed on apply. */
  signedOn(): void
}

export interface PacketLimits {
  /** Bytes that a connection may send in all before it has signed on. */
  beforeSignOn: number
  /** Bytes of one packet after that. */
  packet: number
}

/**
 * Watches what is read from a connection, before the broker sees it, and calls `onViolation` for too many bytes before
 * sign-on or a packet that declares more than it may have: nothing of it is buffered. The reads are watched where they
 * are made, so that ten thousand connections need no stream more each.
 */
export function guardPackets(stream: Duplex, limits: PacketLimits, onViolation: Violation): PacketGuard {
  const count = countPackets()
  let isSignedOn = false
  let received = 0

  const judge = (chunk: Buffer): string | undefined => {
    const longest = count(chunk)
    if (longest === undefined) return 'malformed packet length'
    if (isSignedOn) return longest > limits.packet ? 'packet too large' : undefined
    received += chunk.length
    return Math.max(received, longest) > limits.beforeSignOn ? 'too much before sign-on' : undefined
  }

  const read = stream.read.bind(stream)
  stream.read = (size?: number): unknown => {
    const chunk: unknown = read(size)
    const reason = chunk instanceof Buffer ? judge(chunk) : undefined
    if (reason === undefined) return chunk
    onViolation(reason)
    return null
  }
  return {
    signedOn() {
      isSignedOn = true
    },
  }
}

/** Bytes of the length field at most (MQTT 3.1.1 §2.2.3). */
const LENGTH_BYTES = 4

/**
 * Follows the packets of a stream by their fixed headers. Answers for each chunk the bytes of the longest packet that it has a
 * part of, by what that declares; undefined for a length that cannot be (MQTT 3.1.1 §2.2.3).
 */
function countPackets(): (chunk: Buffer) => number | undefined {
  let current = 0
  let remaining = 0
  /** -1: the next byte begins a packet; otherwise how many bytes of its length were read. */
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
      if (lengthBytes === LENGTH_BYTES) return undefined
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
