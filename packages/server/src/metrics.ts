import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type Batch, countInBatches, observeInBatches } from './metric-batches.ts'
import { type Metric, metricTable } from './metric-table.ts'

type Table = typeof metricTable
type KeyOf<Type extends Metric['type']> = {
  [Each in keyof Table]: Table[Each]['type'] extends Type ? Each : never
}[keyof Table]

type LabelsOf<Key extends keyof Table> = Table[Key] extends { labels: infer Names extends readonly string[] }
  ? { readonly [Each in keyof Names]: string }
  : readonly []

/** The gauge's value, or one value for each value of its label. Undefined if the gauge currently has no value. */
export type Reading = number | undefined | Readonly<Record<string, number>>

export interface Metrics {
  /**
   * Calls `read` when the metrics are collected, unless its last value is at most `maxAgeMs` milliseconds old. While
   * `read` fails, the gauge has no value.
   */
  gauge(key: KeyOf<'gauge'>, read: () => Reading | Promise<Reading>, maxAgeMs?: number): void
  counter<Key extends KeyOf<'counter'>>(key: Key): (...labels: LabelsOf<Key>) => void
  histogram<Key extends KeyOf<'histogram'>>(key: Key): (value: number, ...labels: LabelsOf<Key>) => void
  text(): Promise<{ type: string; text: string }>
  /** Returns all metrics in a form that can be combined with the metrics of other processes. */
  samples(): Promise<Samples>
}

export type Samples = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/**
 * If reading a gauge takes longer than this number of milliseconds, the gauge has no value. The scraper and a parent
 * process wait only for a limited time.
 */
const READ_TIMEOUT_MS = 3_000

export interface MetricsOptions {
  /** Whether to add metrics of the process, such as memory and CPU time. Only one registry per process needs them. */
  ofProcess?: boolean
  /** The value of the label `process`, which distinguishes several processes. */
  process?: string | undefined
}

/**
 * The registry omits these gauges, because their names have the suffix of a counter. Gauges without this suffix report
 * the same values by type.
 */
const MISNAMED_GAUGES = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

export function createMetrics({ ofProcess = false, process: name }: MetricsOptions = {}): Metrics {
  const registry = new Registry()
  const registers = [registry]
  if (ofProcess) {
    collectDefaultMetrics({ register: registry, ...(name && { labels: { process: name } }) })
    for (const gauge of MISNAMED_GAUGES) registry.removeSingleMetric(gauge)
  }
  const gauges = new Map<string, MeasuredGauge>()
  const flushes: (() => void)[] = []
  const inBatches = <Add>({ add, flush }: Batch<Add>): Add => {
    flushes.push(flush)
    return add
  }
  /** Returns the existing metric if there is one, so the values of components that measure the same metric add up. */
  const getOrCreate = <Kind>(name: string, create: () => Kind): Kind =>
    (registry.getSingleMetric(name) as Kind | undefined) ?? create()

  return {
    gauge(key, read, maxAgeMs = 0) {
      const { name, help, labels: labelNames = [], across: aggregator = 'sum' }: Metric = metricTable[key]
      let measured = gauges.get(name)
      if (measured === undefined) {
        measured = {
          gauge: new Gauge({ name, help, labelNames, aggregator, registers }),
          label: labelNames[0],
          reads: [],
        }
        gauges.set(name, measured)
      }
      measured.reads.push(cached(read, maxAgeMs))
    },
    counter(key) {
      const { name, help, labels: labelNames = [] }: Metric = metricTable[key]
      const counter = getOrCreate(name, () => new Counter({ name, help, labelNames, registers }))
      return inBatches(countInBatches(counter))
    },
    histogram(key) {
      const { name, help, labels: labelNames = [], buckets = [] }: Metric = metricTable[key]
      const histogram = getOrCreate(
        name,
        () => new Histogram({ name, help, labelNames, buckets: [...buckets], registers }),
      )
      return inBatches(observeInBatches(histogram))
    },
    async text() {
      await Promise.all(Array.from(gauges.values(), update))
      for (const flush of flushes) flush()
      return { type: registry.contentType, text: await registry.metrics() }
    },
    async samples() {
      await Promise.all(Array.from(gauges.values(), update))
      for (const flush of flushes) flush()
      const samples = await registry.getMetricsAsJSON()
      // Without this step, the combined metrics would not contain the start time of each process.
      return samples.map((sample) =>
        sample.aggregator === 'omit' ? { ...sample, aggregator: 'first' as const } : sample,
      )
    },
  }
}

interface MeasuredGauge {
  gauge: Gauge
  label: string | undefined
  reads: (() => Promise<Reading>)[]
}

async function update({ gauge, label, reads }: MeasuredGauge): Promise<void> {
  const readings = await Promise.all(reads.map((read) => withTimeout(read())))
  gauge.reset()
  for (const reading of readings) {
    if (typeof reading === 'number') gauge.set(reading)
    else if (label === undefined) gauge.remove()
    else for (const [value, number] of Object.entries(reading ?? {})) gauge.set({ [label]: value }, number)
  }
}

/**
 * Lets concurrent callers share one read, and reuses its value for `maxAgeMs` milliseconds. A read that fails returns
 * undefined, which is not reused.
 */
function cached(read: () => Reading | Promise<Reading>, maxAgeMs: number): () => Promise<Reading> {
  let last: Promise<Reading> | undefined
  let expires = Number.POSITIVE_INFINITY
  return () => {
    if (last !== undefined && performance.now() < expires) return last
    expires = Number.POSITIVE_INFINITY
    last = (async () => read())().catch(() => undefined)
    void last.then((reading) => {
      expires = reading === undefined ? 0 : performance.now() + maxAgeMs
    })
    return last
  }
}

async function withTimeout(reading: Promise<Reading>): Promise<Reading> {
  const timer = new AbortController()
  const timeout = sleep(READ_TIMEOUT_MS, undefined, { signal: timer.signal, ref: false }).catch(() => undefined)
  return Promise.race([reading, timeout]).finally(() => timer.abort())
}
