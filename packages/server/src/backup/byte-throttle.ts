import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Returns a function to call with the size of each chunk. The function waits as long as necessary to keep to the rate,
 * and throws after `signal` is aborted. With a rate of 0, it never waits.
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
