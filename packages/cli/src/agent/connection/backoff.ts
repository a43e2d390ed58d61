const MIN_MS = 1_000
/** The first delay is at most this long. */
const FIRST_MS = 4_000
const MAX_MS = 60_000

export interface Backoff {
  next(): number
  reset(): void
}

/**
 * Each delay is random, between 1 second and a limit that doubles with each retry, up to 1 minute. The random delays
 * prevent a fleet from reconnecting simultaneously.
 */
export function createBackoff(random = Math.random): Backoff {
  let most = FIRST_MS / 2
  return {
    next() {
      most = Math.min(most * 2, MAX_MS)
      return MIN_MS + random() * (most - MIN_MS)
    },
    reset() {
      most = FIRST_MS / 2
    },
  }
}
