import type { Checks } from './checks.ts'
import type { Growth } from './growth.ts'
import type { LoadCounts } from './load.ts'
import type { SoakOptions } from './options.ts'
import type { Measured, MemorySample, Sample } from './samples.ts'

const ms = (value: number): string => `${value.toFixed(1)} ms`
const seconds = (value: number): string => `${value.toFixed(1)} s`
const mib = (value: number): string => `${value.toFixed(1)} MiB`
const most = (values: readonly number[]): number => Math.max(...values)
const least = (values: readonly number[]): number => Math.min(...values)

export function printMinute(
  minute: number,
  counts: LoadCounts,
  samples: readonly Sample[],
  { liveMiB, residentMiB }: MemorySample,
): void {
  const { sent, responses, errors, times } = counts
  const [first, last] = [samples[0]!, samples.at(-1)!]
  const cpu = (last.cpuSeconds - first.cpuSeconds) / ((last.at - first.at) * 60)
  const parts = [
    `minute ${minute}`,
    `${sent} requests, ${responses} responses`,
    `p50 ${ms(times.percentile(0.5))}, p99 ${ms(times.percentile(0.99))}`,
    `memory ${mib(last.rssMiB)}; just after a collection ${mib(residentMiB)}, live ${mib(liveMiB)}`,
    `${last.descriptors} open files, ${last.databaseConnections} database connections`,
    `CPU ${(cpu * 100).toFixed(0)}%`,
    `events delayed by ${seconds(last.eventLagSeconds)}, ${last.deliveriesPending} deliveries pending`,
    `${last.devicesConnected} devices`,
    `errors ${JSON.stringify(errors)}`,
  ]
  console.log(parts.join('; '))
}

const growth = ({ perHour, error }: Growth): string => `${perHour.toFixed(2)}% ± ${error.toFixed(2)}%`

export interface Report {
  options: SoakOptions
  measured: Measured
  rate: number
  changes: number
  /** The number of attribute changes that the webhook did not receive. */
  undelivered: number
  checks: Checks
}

export function printReport({ options, measured, rate, changes, undelivered, checks }: Report): void {
  const { samples, memory, times, sent, responses, errors } = measured
  const { live, resident, failures } = checks
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
    'memory at the end': mib(samples.at(-1)!.rssMiB),
    'live memory at the end': mib(memory.at(-1)!.liveMiB),
    'live memory, growth per hour': growth(live),
    'resident memory, growth per hour': growth(resident),
    'open files': range(({ descriptors }) => descriptors),
    'database connections': range(({ databaseConnections }) => databaseConnections),
    'longest delay of events': seconds(most(samples.map(({ eventLagSeconds }) => eventLagSeconds))),
    'longest delay of a due delivery': seconds(most(samples.map(({ deliveriesDueSeconds }) => deliveriesDueSeconds))),
  })
  for (const failure of failures) console.error(`failed: ${failure}`)
}
