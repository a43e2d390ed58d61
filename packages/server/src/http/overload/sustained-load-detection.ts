import { performance } from 'node:perf_hooks'

/** The maximum duration of a burst, in milliseconds. */
const BURST_MS = 2_000

export interface SustainedLoad {
  /** Call this function each time the number of requests in flight changes. */
  update(inFlight: number): void
  /**
   * Returns whether at least `limit` requests were in flight for two seconds, and at least half of `limit` ever since.
   */
  isSustained(): boolean
}

/**
 * Distinguishes a persistent queue from a burst, as CoDel does (RFC 8289). `elapsed` returns a monotonic time in
 * milliseconds.
 */
export function createSustainedLoad(limit: number, elapsed: () => number = () => performance.now()): SustainedLoad {
  let since: number | undefined
  const isSustained = (): boolean => since !== undefined && elapsed() - since >= BURST_MS
  return {
    update(inFlight) {
      if (inFlight >= limit) since ??= elapsed()
      else if (since !== undefined && (inFlight < limit / 2 || !isSustained())) since = undefined
    },
    isSustained,
  }
}
