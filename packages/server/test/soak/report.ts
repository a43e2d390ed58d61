import { type Checks, isLongEnough } from './checks.ts'
import type { LoadCounts } from './load.ts'
import type { SoakOptions } from './options.ts'
import type { Measured, Sample } from './samples.ts'
import type { Slope } from './slope.ts'

const ms = (value: number): string => `${value.toFixed(1)} ms`
const seconds = (value: number): string => `${value.toFixed(1)} s`
const most = (values: readonly number[]): number => Math.max(...values)
const least = (values: readonly number[]): number => Math.min(...values)

export function printMinute(minute: number, counts: LoadCounts, samples: readonly Sample[]): void {
  const { sent, responses, errors, times } = counts
  const [first, last] = [samples[0]!, samples.at(-1)!]
  const cpu = (last.cpuSeconds - first.cpuSeconds) / ((last.at - first.at) * 60)
  const parts = [
    `minute ${minute}`,
    `${sent} requests, ${responses} responses`,
    `p50 ${ms(times.percentile(0.5))}, p99 ${ms(times.percentile(0.99))}`,
    `${last.rssMiB.toFixed(0)} MiB, heap ${least(samples.map(({ heapMiB }) => heapMiB)).toFixed(0)} MiB`,
    `${last.descriptors} open files, ${last.databaseConnections} database connections`,
    `CPU ${(cpu * 100).toFixed(0)} %`,
    `events delayed by ${seconds(last.eventLagSeconds)}, ${last.deliveriesPending} deliveries pending`,
    `${last.devicesConnected} devices`,
    `errors ${JSON.stringify(errors)}`,
  ]
  console.log(parts.join('; '))
}

const growth = ({ perHour, error }: Slope, samples: readonly Sample[]): string =>
  isLongEnough(samples) ? `${perHour.toFixed(2)} % ± ${error.toFixed(2)}` : 'the run is too short'

export interface Report {
  options: SoakOptions
  measured: Measured
  /** Requests sent per second. */
  rate: number
  /** The number of attribute changes and the number of changes that the webhook did not receive. */
  changes: number
  undelivered: number
  checks: Checks
}

export function printReport({ options, measured, rate, changes, undelivered, checks }: Report): void {
  const { samples, times, sent, responses, errors } = measured
  const { rss, heap, failures } = checks
  const range = (of: (sample: Sample) => number): string => `${least(samples.map(of))} to ${most(samples.map(of))}`
  console.table({
    minutes: options.minutes,
    'requests per second, target': options.rate,
    'requests per second, reached': Math.min(rate, Math.round(responses / (options.minutes * 60))),
    'requests sent': sent,
    responses: responses,
    errors: Object.values(errors).reduce((sum, count) => sum + count, 0),
    'latency p50': ms(times.percentile(0.5)),
    'latency p99': ms(times.percentile(0.99)),
    'devices connected': range(({ devicesConnected }) => devicesConnected),
    'changes that the webhook received': `${changes - undelivered} of ${changes}`,
    'memory at the end': `${samples.at(-1)!.rssMiB.toFixed(0)} MiB`,
    'memory growth per hour': growth(rss, samples),
    'heap growth per hour': growth(heap, samples),
    'open files': range(({ descriptors }) => descriptors),
    'database connections': range(({ databaseConnections }) => databaseConnections),
    'longest delay of events': seconds(most(samples.map(({ eventLagSeconds }) => eventLagSeconds))),
    'longest delay of a due delivery': seconds(most(samples.map(({ deliveriesDueSeconds }) => deliveriesDueSeconds))),
  })
  for (const failure of failures) console.error(`failed: ${failure}`)
}
