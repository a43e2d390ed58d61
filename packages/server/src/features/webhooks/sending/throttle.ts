import { performance } from 'node:perf_hooks'
import type { Load } from '../../../http/request-load.ts'

/** Limits how fast attempts start while clients wait: to a number per second for all webhooks. Otherwise there is no limit. */
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

/**
 * At this rate, a busy server reaches 0.93 of its throughput without webhooks; at twice the rate, 0.86 (benchmarks/webhooks).
 */
const SLOWED_PER_SECOND = 75
/** Maximum number of unused attempts that are saved for the next round. */
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
