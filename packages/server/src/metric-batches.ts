import type { Counter, Histogram } from 'prom-client'

/** Numbers on their way to a metric: handing over one takes longer than much of what is measured, many at a time a tenth of that. */
export interface Batch<Add> {
  readonly add: Add
  /** To be called before the metric is read. */
  handOver(): void
}

/** Values of a histogram that wait at most. */
const VALUES = 1_000

/** Adds one for each call. */
export function countInBatches(counter: Counter): Batch<(...labels: readonly string[]) => void> {
  const counts = new Map<string, { labels: readonly string[]; count: number }>()
  return {
    add(...labels) {
      const joined = labels.join('\n')
      const found = counts.get(joined)
      if (found === undefined) counts.set(joined, { labels, count: 1 })
      else found.count++
    },
    handOver() {
      for (const { labels, count } of counts.values()) counter.labels(...labels).inc(count)
      counts.clear()
    },
  }
}

export function observeInBatches(histogram: Histogram): Batch<(value: number, ...labels: readonly string[]) => void> {
  const observed = new Map<string, { labels: readonly string[]; values: number[] }>()
  const handOver = (): void => {
    for (const { labels, values } of observed.values()) {
      const { observe } = histogram.labels(...labels)
      for (const value of values) observe(value)
    }
    observed.clear()
  }
  return {
    add(value, ...labels) {
      const joined = labels.join('\n')
      const found = observed.get(joined)
      if (found === undefined) observed.set(joined, { labels, values: [value] })
      else if (found.values.push(value) === VALUES) handOver()
    },
    handOver,
  }
}
