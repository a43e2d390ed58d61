/**
 * The limit on concurrent attempts for a receiver. With each attempt that succeeds within a second, the limit grows by
 * 1, up to a maximum. After any other attempt, it returns to its minimum.
 */
export interface ConcurrencyLimit {
  current(): number
  /** Adjusts the limit after an attempt. `duration` is in milliseconds. */
  add(isSuccess: boolean, duration: number): void
}

const MIN_CONCURRENCY = 5
const MAX_CONCURRENCY = 20
const QUICK_MS = 1_000

export function createConcurrencyLimit(): ConcurrencyLimit {
  let limit = MIN_CONCURRENCY
  return {
    current: () => limit,
    add(isSuccess, duration) {
      limit = isSuccess && duration < QUICK_MS ? Math.min(limit + 1, MAX_CONCURRENCY) : MIN_CONCURRENCY
    },
  }
}
