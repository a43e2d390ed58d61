import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type Batch, countInBatches, observeInBatches } from './metric-batches.ts'
import { type Metric, metricTable } from './metric-table.ts'

type Table = typeof metricTable
type KeyOf<Type extends Metric['type']> = {
  [Each in keyof Table]: Table[Each]['type'] extends Type ? Each : never
}[keyof Table]

/** A text for each label of the metric. */
type LabelsOf<Key extends keyof Table> = Table[Key] extends { labels: infer Names extends readonly string[] }
  ? { readonly [Each in keyof Names]: string }
  : readonly []

/** A value, or one for each value of the label; undefined where there is none now. */
export type Reading = number | undefined | Readonly<Record<string, number>>

/** Collects what is measured in this process. */
export interface Metrics {
  /**
   * `read` is asked when the metrics are, and again once its last answer is `keptMs` old. While it fails there is no value. Several
   * may read values of one gauge, of different labels.
   */
  gauge(key: KeyOf<'gauge'>, read: () => Reading | Promise<Reading>, keptMs?: number): void
  /** Returns what adds one. */
  counter<Key extends KeyOf<'counter'>>(key: Key): (...labels: LabelsOf<Key>) => void
  /** Returns what adds a value. */
  histogram<Key extends KeyOf<'histogram'>>(key: Key): (value: number, ...labels: LabelsOf<Key>) => void
  /** All of it in the text format of Prometheus. */
  text(): Promise<{ type: string; text: string }>
  /** All of it, to be put together with that of other processes. */
  samples(): Promise<Samples>
}

export type Samples = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** What does not answer in this time is left out: whoever asks would not wait for it. */
const READ_MS = 3_000

export interface MetricsOptions {
  /** Memory, processor time, event loop and garbage collection too, once in a process. */
  ofProcess?: boolean
  /** What those are told apart by, where there are several processes. */
  process?: string | undefined
}

/** Gauges with the suffix of counters. Those without the suffix have the same numbers by type. */
const MISNAMED_GAUGES = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

export function createMetrics({ ofProcess = false, process: name }: MetricsOptions = {}): Metrics {
  const registry = new Registry()
  const registers = [registry]
  if (ofProcess) {
    collectDefaultMetrics({ register: registry, ...(name && { labels: { process: name } }) })
    for (const gauge of MISNAMED_GAUGES) registry.removeSingleMetric(gauge)
  }
  const gauges = new Map<string, MeasuredGauge>()
  const handOvers: (() => void)[] = []
  const inBatches = <Add>({ add, handOver }: Batch<Add>): Add => {
    handOvers.push(handOver)
    return add
  }
  /** Of several that do the same, such as one for each part, all count together. */
  const known = <Made>(name: string, make: () => Made): Made =>
    (registry.getSingleMetric(name) as Made | undefined) ?? make()

  return {
    gauge(key, read, keptMs = 0) {
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
      measured.reads.push(keep(read, keptMs))
    },
    counter(key) {
      const { name, help, labels: labelNames = [] }: Metric = metricTable[key]
      const counter = known(name, () => new Counter({ name, help, labelNames, registers }))
      return inBatches(countInBatches(counter))
    },
    histogram(key) {
      const { name, help, labels: labelNames = [], buckets = [] }: Metric = metricTable[key]
      const histogram = known(name, () => new Histogram({ name, help, labelNames, buckets: [...buckets], registers }))
      return inBatches(observeInBatches(histogram))
    },
    async text() {
      await Promise.all(Array.from(gauges.values(), take))
      for (const handOver of handOvers) handOver()
      return { type: registry.contentType, text: await registry.metrics() }
    },
    async samples() {
      await Promise.all(Array.from(gauges.values(), take))
      for (const handOver of handOvers) handOver()
      const samples = await registry.getMetricsAsJSON()
      // When a process began would be left out, as if nothing told the processes apart.
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

async function take({ gauge, label, reads }: MeasuredGauge): Promise<void> {
  const readings = await Promise.all(reads.map((read) => inTime(read())))
  gauge.reset()
  for (const reading of readings) {
    if (typeof reading === 'number') gauge.set(reading)
    else if (label === undefined) gauge.remove()
    else for (const [value, number] of Object.entries(reading ?? {})) gauge.set({ [label]: value }, number)
  }
}

/** However many ask, one question is on its way, and an answer serves for a while. */
function keep(read: () => Reading | Promise<Reading>, forMs: number): () => Promise<Reading> {
  let answer: Promise<Reading> | undefined
  let forget = Number.POSITIVE_INFINITY
  return () => {
    if (answer !== undefined && performance.now() < forget) return answer
    forget = Number.POSITIVE_INFINITY
    answer = (async () => read())().catch(() => undefined)
    void answer.then((reading) => {
      forget = reading === undefined ? 0 : performance.now() + forMs
    })
    return answer
  }
}

async function inTime(reading: Promise<Reading>): Promise<Reading> {
  const timer = new AbortController()
  const late = sleep(READ_MS, undefined, { signal: timer.signal, ref: false }).catch(() => undefined)
  return Promise.race([reading, late]).finally(() => timer.abort())
}
