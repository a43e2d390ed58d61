import { performance } from 'node:perf_hooks'
import type { Load } from '../../../http/load.ts'

/** How fast attempts may begin: as they come, or, while clients wait, so many a second of all webhooks together. */
export interface Pace {
  /** Whether attempts are spread over turns now, a pause apart. */
  isSlowed(): boolean
  /** How many of `wanted` one webhook may begin in this turn. */
  take(wanted: number): number
}

export interface PaceOptions {
  load: Load
  /** How many webhooks share it. */
  webhooks: () => number
}

/** With so many, a busy server still does 0.93 of the changes that it does without webhooks; with twice as many, 0.86 (benchmarks/webhooks). */
const SLOWED_PER_SECOND = 75
/** What may have been left over for the next turn. */
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
