import type { Counter, Histogram } from 'prom-client'

/** Collects values and records them together. Recording each value separately takes ten times as long. */
export interface Batch<Add> {
  readonly add: Add
  /** Records the collected values. Call this before reading the metric. */
  flush(): void
}

/** A histogram records all collected values as soon as this number of values have the same labels. */
const BATCH_SIZE = 1_000

export function countInBatches(counter: Counter): Batch<(...labels: readonly string[]) => void> {
  const counts = createByLabels(() => ({ count: 0 }))
  return {
    add(...labels) {
      counts.of(labels).count++
    },
    flush: () => counts.flush((labels, { count }) => counter.labels(...labels).inc(count)),
  }
}

export function observeInBatches(histogram: Histogram): Batch<(value: number, ...labels: readonly string[]) => void> {
  const observed = createByLabels((): number[] => [])
  const flush = (): void =>
    observed.flush((labels, values) => {
      const { observe } = histogram.labels(...labels)
      for (const value of values) observe(value)
    })
  return {
    add(value, ...labels) {
      if (observed.of(labels).push(value) === BATCH_SIZE) flush()
    },
    flush,
  }
}

interface ByLabels<Value> {
  of(labels: readonly string[]): Value
  /** Passes every value to `to`, and removes all values. */
  flush(to: (labels: readonly string[], value: Value) => void): void
}

interface Branch<Value> {
  value: Value | undefined
  readonly next: Map<string, Branch<Value>>
}

/** Uses nested maps, because joining the labels into a single key would take longer than all other steps together. */
function createByLabels<Value>(create: () => Value): ByLabels<Value> {
  const newBranch = (): Branch<Value> => ({ value: undefined, next: new Map() })
  let root = newBranch()
  let entries: [labels: readonly string[], value: Value][] = []

  return {
    of(labels) {
      let branch = root
      for (const label of labels) {
        let next = branch.next.get(label)
        if (next === undefined) {
          next = newBranch()
          branch.next.set(label, next)
        }
        branch = next
      }
      if (branch.value === undefined) {
        branch.value = create()
        entries.push([labels, branch.value])
      }
      return branch.value
    },
    flush(to) {
      const all = entries
      root = newBranch()
      entries = []
      for (const [labels, value] of all) to(labels, value)
    },
  }
}
