/** A histogram of durations with a precision of 2%. */
export interface Times {
  add(ms: number): void
  addAll(other: Times): void
  /** Returns the duration in ms below which the fraction `part` of the durations falls, or NaN if there are none. */
  percentile(part: number): number
  readonly buckets: readonly number[]
}

const STEP = Math.log(1.02)
const MIN_MS = 0.05

export function createTimes(): Times {
  const buckets: number[] = []
  return {
    buckets,
    add(ms) {
      const bucket = Math.max(0, Math.round(Math.log(ms / MIN_MS) / STEP))
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
    },
    addAll(other) {
      other.buckets.forEach((count, bucket) => {
        buckets[bucket] = (buckets[bucket] ?? 0) + count
      })
    },
    percentile(part) {
      const all = buckets.reduce((sum, count) => sum + count, 0)
      let below = 0
      for (const [bucket, count = 0] of buckets.entries()) {
        below += count
        if (below > all * part) return MIN_MS * Math.exp(bucket * STEP)
      }
      return Number.NaN
    },
  }
}
