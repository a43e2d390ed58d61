const MIN_MS = 1_000
const FIRST_LIMIT_MS = 4_000
const MAX_MS = 60_000

/**
 * `next` returns a random delay in milliseconds, from 1 second to a limit, and then doubles the limit, up to 1 minute.
 * The limit is 4 seconds at first and after `reset`. Random delays prevent a fleet from reconnecting simultaneously.
 */
export function createBackoff(random = Math.random) {
  let limit = FIRST_LIMIT_MS
  return {
    next(): number {
      const delay = MIN_MS + random() * (limit - MIN_MS)
      limit = Math.min(limit * 2, MAX_MS)
      return delay
    },
    reset(): void {
      limit = FIRST_LIMIT_MS
    },
  }
}
