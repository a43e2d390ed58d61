import { performance } from 'node:perf_hooks'
import type { Load } from '../../../http/load.ts'

/** How fast attempts can start: without a limit, or, while clients wait, a limited number per second for all webhooks. */
export interface Pace {
  /** Whether attempts are currently spread over rounds with a pause between them. */
  isSlowed(): boolean
  /** How many of `wanted` one webhook can start in this round. */
  take(wanted: number): number
}

export interface PaceOptions {
  load: Load
  /** How many webhooks share the limit. */
  webhooks: () => number
}

/** At this rate, a busy server reaches 0.93 of its throughput without webhooks; at twice the rate, 0.86 (benchmarks/webhooks). */
const SLOWED_PER_SECOND = 75
/** The most that can be left for the next round. */
const SAVED = 20

export function createPace({ load, webhooks }: PaceOptions): Pace {
  let left = SAVED
  let filledAt = performance.now()

  const fill = (): void => {
    const now = performance.now()
    left = Math.min(SAVED, left + ((now - filledAt) / 1_000) * SLOWED_PER_SECOND)
    filledAt = now
  }

  return {
    isSlowed: () => load.isHigh(),
    take(wanted) {
      fill()
      if (!load.isHigh()) return wanted
      const share = Math.max(1, Math.ceil(SAVED / Math.max(1, webhooks())))
      const taken = Math.min(wanted, share, Math.floor(left))
      left -= taken
      return taken
    },
  }
}
