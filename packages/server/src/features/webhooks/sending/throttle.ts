import { performance } from 'node:perf_hooks'
import type { Load } from '../../../http/request-load.ts'

/** While clients are waiting, limits the attempts started per second across all webhooks. Otherwise sets no limit. */
export interface Pace {
  /** Whether attempts currently start in rounds with pauses between rounds. */
  isSlowed(): boolean
  /** Returns how many of the `wanted` attempts one webhook can start in this round. */
  take(wanted: number): number
}

export interface PaceOptions {
  load: Load
  /** Returns the number of webhooks that share the limit. */
  webhooks: () => number
}

/**
 * At this rate, a busy server maintains 93% of the throughput it reaches without webhooks. At twice the rate, it maintains 86%
 * (benchmarks/webhooks).
 */
const SLOWED_PER_SECOND = 75
/** Maximum number of unused attempts to carry over to the next round. */
const MAX_SAVED = 20

export function createPace({ load, webhooks }: PaceOptions): Pace {
  let available = MAX_SAVED
  let filledAt = performance.now()

  const fill = (): void => {
    const now = performance.now()
    available = Math.min(MAX_SAVED, available + ((now - filledAt) / 1_000) * SLOWED_PER_SECOND)
    filledAt = now
  }

  return {
    isSlowed: () => load.isHigh(),
    take(wanted) {
      fill()
      if (!load.isHigh()) return wanted
      const share = Math.max(1, Math.ceil(MAX_SAVED / Math.max(1, webhooks())))
      const granted = Math.min(wanted, share, Math.floor(available))
      available -= granted
      return granted
    },
  }
}
