import type { Sample } from './samples.ts'
import { type Slope, slopeOf } from './slope.ts'

export interface Results {
  samples: readonly Sample[]
  /** Counts of the errors of requests and devices. */
  errors: Readonly<Record<string, number>>
  devices: number
  /** Number of changes that the webhook did not receive by the end. */
  undelivered: number
  forged: number
}

export interface Checks {
  rss: Slope
  heap: Slope
  /** Messages about failed checks. */
  failures: string[]
}

/** Maximum memory growth, in percent per hour. */
const MAX_GROWTH = 1
/** Minimum length for checking growth. In a shorter run, normal variations of memory look like growth. */
const MIN_MINUTES = 20
/** The tolerance for counts of descriptors and connections, which vary slightly. */
const TOLERANCE = { part: 0.02, count: 10 }
const MAX_LAG_SECONDS = 10

export const isLongEnough = (samples: readonly Sample[]): boolean =>
  samples.at(-1)!.at - samples[0]!.at >= MIN_MINUTES - 1

/** Checks whether the server could run indefinitely under this load. */
export function checkResults({ samples, errors, devices, undelivered, forged }: Results): Checks {
  const rss = slopeOf(byMinute(samples, ({ rssMiB }) => rssMiB, median))
  // The minimum in a minute is about the heap size just after a garbage collection.
  const heap = slopeOf(byMinute(samples, ({ heapMiB }) => heapMiB, least))
  const failures = Object.entries(errors).map(([error, count]) => `${count} × ${error}`)
  const check = (isMet: boolean, failure: string): void => void (isMet || failures.push(failure))
  if (isLongEnough(samples)) {
    check(rss.perHour < MAX_GROWTH, `memory grows by ${rss.perHour.toFixed(2)} % per hour`)
    check(heap.perHour < MAX_GROWTH, `the heap grows by ${heap.perHour.toFixed(2)} % per hour`)
  }
  check(isStable(samples.map(({ descriptors }) => descriptors)), 'the number of open files grows')
  check(
    isStable(samples.map(({ databaseConnections }) => databaseConnections)),
    'the number of connections to the database grows',
  )
  const lag = Math.max(
    ...samples.map(({ eventLagSeconds, deliveriesDueSeconds }) => eventLagSeconds + deliveriesDueSeconds),
  )
  check(lag <= MAX_LAG_SECONDS, `events and deliveries were delayed by ${lag.toFixed(1)} s`)
  check(
    samples.every(({ devicesConnected }) => devicesConnected === devices),
    'not all devices were connected all the time',
  )
  check(undelivered === 0, `the webhook did not receive ${undelivered} changes`)
  check(forged === 0, `${forged} webhook messages had an invalid signature`)
  return { rss, heap, failures }
}

/** Combines the samples of each minute into one value. */
function byMinute(
  samples: readonly Sample[],
  read: (sample: Sample) => number,
  combine: (values: number[]) => number,
): [minutes: number, value: number][] {
  const minutes = Map.groupBy(samples, ({ at }) => Math.floor(at))
  return Array.from(minutes, ([minute, each]) => [minute, combine(each.map(read))])
}

const least = (values: readonly number[]): number => Math.min(...values)
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!

/** Returns whether the values in the last third are not much higher than in the first third. */
function isStable(values: readonly number[]): boolean {
  const third = Math.ceil(values.length / 3)
  const [before, after] = [median(values.slice(0, third)), median(values.slice(-third))]
  return after - before <= Math.max(TOLERANCE.count, before * TOLERANCE.part)
}
