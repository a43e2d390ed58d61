import { performance } from 'node:perf_hooks'
import type { Load } from '../../../http/average-load.ts'

/** Limits the attempts that a process starts, but only under high load. */
export interface Throttle {
  /** Returns whether attempts currently start in rounds with pauses between them. */
  isSlowed(): boolean
  /** Returns how many of the `wanted` attempts one webhook can start in this round. */
  take(wanted: number): number
}

export interface ThrottleOptions {
  load: Load
  webhooks: () => number
}

/**
 * The maximum number of attempts per second under high load. With this limit, a busy server maintains most of the
 * throughput that it reaches without webhooks (benchmarks/webhooks).
 */
const SLOWED_PER_SECOND = 75
/** The maximum number of attempts that all webhooks of a process can start at once under high load. */
const MAX_AT_ONCE = 20

export function createThrottle({ load, webhooks }: ThrottleOptions): Throttle {
  let available = MAX_AT_ONCE
  let filledAt = performance.now()

  const fill = (): void => {
    const now = performance.now()
    available = Math.min(MAX_AT_ONCE, available + ((now - filledAt) / 1_000) * SLOWED_PER_SECOND)
    filledAt = now
  }

  return {
    isSlowed: () => load.isHigh(),
    take(wanted) {
      fill()
      if (!load.isHigh()) return wanted
      const share = Math.max(1, Math.ceil(MAX_AT_ONCE / Math.max(1, webhooks())))
      const granted = Math.min(wanted, share, Math.floor(available))
      available -= granted
      return granted
    },
  }
}
