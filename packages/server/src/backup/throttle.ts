import { setTimeout as sleep } from 'node:timers/promises'

/** Waits so that no more bytes than this pass in a second; 0: no limit. */
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
