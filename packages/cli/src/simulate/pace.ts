import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when it is the caller's turn, or at once when it has been aborted. */
export type Pace = (signal: AbortSignal) => Promise<void>

/** Lets one caller after the other go on, so many a second. */
export function createPace(perSecond: number): Pace {
  let next = 0
  return async (signal) => {
    const now = performance.now()
    const turn = Math.max(now, next)
    next = turn + 1_000 / perSecond
    if (turn > now) await sleep(turn - now, undefined, { signal }).catch(() => {})
  }
}
