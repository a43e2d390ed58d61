const LEAST_MS = 1_000
/** What the first wait may take. */
const FIRST_MS = 4_000
const MOST_MS = 60_000

/** How long to wait before the next try. */
export interface Backoff {
  next(): number
  reset(): void
}

/** Up to twice as long each time, and by chance within it: a fleet that lost its server does not return all at once. */
export function createBackoff(random = Math.random): Backoff {
  let most = FIRST_MS / 2
  return {
    next() {
      most = Math.min(most * 2, MOST_MS)
      return LEAST_MS + random() * (most - LEAST_MS)
    },
    reset() {
      most = FIRST_MS / 2
    },
  }
}
