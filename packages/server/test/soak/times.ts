/** Many durations in little memory: each is known to two parts in a hundred. */
export interface Times {
  add(ms: number): void
  addAll(other: Times): void
  /** The duration that `part` of them lie below; NaN of none. */
  percentile(part: number): number
  readonly buckets: readonly number[]
}

const STEP = Math.log(1.02)
const LEAST_MS = 0.05

export function createTimes(): Times {
  const buckets: number[] = []
  return {
    buckets,
    add(ms) {
      const bucket = Math.max(0, Math.round(Math.log(ms / LEAST_MS) / STEP))
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
        if (below > all * part) return LEAST_MS * Math.exp(bucket * STEP)
      }
      return Number.NaN
    },
  }
}
