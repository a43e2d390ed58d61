import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when the caller may continue, or when the signal aborts. */
export type Throttle = (signal: AbortSignal) => Promise<void>

export function createThrottle(perSecond: number): Throttle {
  let next = 0
  return async (signal) => {
    const now = performance.now()
    const turn = Math.max(now, next)
    next = turn + 1_000 / perSecond
    if (turn > now) await sleep(turn - now, undefined, { signal }).catch(() => {})
  }
}
