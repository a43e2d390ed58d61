import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Returns a function that waits until the given number of bytes conforms to the rate. With a rate of 0, it never waits.
 */
export function createThrottle(bytesPerSecond: number, signal?: AbortSignal): (bytes: number) => Promise<void> {
  let free = performance.now()
  return async (bytes) => {
    signal?.throwIfAborted()
    if (bytesPerSecond === 0) return
    const now = performance.now()
    free = Math.max(free, now) + (bytes / bytesPerSecond) * 1_000
    if (free - now > 10) await sleep(free - now, undefined, { signal })
  }
}
