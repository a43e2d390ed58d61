import type { LoadCounts } from './load.ts'
import type { SoakOptions } from './options.ts'
import type { Measured, Sample } from './samples.ts'
import type { Slope } from './slope.ts'
import { isLongEnough, type Verdict } from './verdict.ts'

const ms = (value: number): string => `${value.toFixed(1)} ms`
const seconds = (value: number): string => `${value.toFixed(1)} s`
const most = (values: readonly number[]): number => Math.max(...values)
const least = (values: readonly number[]): number => Math.min(...values)

export function printMinute(minute: number, counts: LoadCounts, samples: readonly Sample[]): void {
  const { sent, answered, errors, times } = counts
  const [first, last] = [samples[0]!, samples.at(-1)!]
  const cpu = (last.cpuSeconds - first.cpuSeconds) / ((last.at - first.at) * 60)
  const parts = [
    `minute ${minute}`,
    `${sent} sent, ${answered} answered`,
    `p50 ${ms(times.percentile(0.5))}, p99 ${ms(times.percentile(0.99))}`,
    `${last.rssMiB.toFixed(0)} MiB, heap ${least(samples.map(({ heapMiB }) => heapMiB)).toFixed(0)} MiB`,
    `${last.descriptors} open files, ${last.databaseConnections} database connections`,
    `processor ${(cpu * 100).toFixed(0)} %`,
    `events ${seconds(last.eventLagSeconds)} behind, ${last.deliveriesPending} deliveries pending`,
    `${last.devicesConnected} devices`,
    `errors ${JSON.stringify(errors)}`,
  ]
  console.log(parts.join('; '))
}

const growth = ({ perHour, error }: Slope, samples: readonly Sample[]): string =>
  isLongEnough(samples) ? `${perHour.toFixed(2)} % ± ${error.toFixed(2)}` : 'the run is too short to tell'

export interface Report {
  options: SoakOptions
  measured: Measured
  /** Requests a second that were sent. */
  rate: number
  /** Changes of attributes, and those of which the webhook was not told. */
  changes: number
  untold: number
  verdict: Verdict
}

export function printReport({ options, measured, rate, changes, untold, verdict }: Report): void {
  const { samples, times, sent, answered, errors } = measured
  const { rss, heap, failures } = verdict
  const range = (of: (sample: Sample) => number): string => `${least(samples.map(of))} to ${most(samples.map(of))}`
  console.table({
    minutes: options.minutes,
    'requests a second, wanted': options.rate,
    'requests a second, held': Math.min(rate, Math.round(answered / (options.minutes * 60))),
    'requests sent': sent,
    'requests answered': answered,
    errors: Object.values(errors).reduce((sum, count) => sum + count, 0),
    'latency p50': ms(times.percentile(0.5)),
    'latency p99': ms(times.percentile(0.99)),
    'devices connected': range(({ devicesConnected }) => devicesConnected),
    'changes the webhook was told of': `${changes - untold} of ${changes}`,
    'memory at the end': `${samples.at(-1)!.rssMiB.toFixed(0)} MiB`,
    'memory growth an hour': growth(rss, samples),
    'heap growth an hour': growth(heap, samples),
    'open files': range(({ descriptors }) => descriptors),
    'database connections': range(({ databaseConnections }) => databaseConnections),
    'events behind at most': seconds(most(samples.map(({ eventLagSeconds }) => eventLagSeconds))),
    'deliveries due at most': seconds(most(samples.map(({ deliveriesDueSeconds }) => deliveriesDueSeconds))),
  })
  for (const failure of failures) console.error(`does not hold: ${failure}`)
}
