import { type Growth, growthOf, quantile } from './growth.ts'
import type { MemorySample, Sample } from './samples.ts'

export interface Results {
  samples: readonly Sample[]
  memory: readonly MemorySample[]
  errors: Readonly<Record<string, number>>
  devices: number
  /** The number of changes that the webhook did not receive by the end. */
  undelivered: number
  forged: number
}

export interface Checks {
  live: Growth
  resident: Growth
  failures: string[]
}

/** The maximum memory growth, in percent per hour. */
const MAX_GROWTH = 1
/** The maximum standard error, in percent per hour. With a larger error, a run does not show whether memory grows. */
const MAX_ERROR = 0.75
/**
 * The allowed growth of the counts of descriptors and connections, which vary slightly: the greater of the number
 * `count` and the fraction `part`.
 */
const TOLERANCE = { part: 0.02, count: 10 }
const MAX_LAG_SECONDS = 10

/** Returns the memory growth, and a message for each sign that the server could not run indefinitely under the load. */
export function checkResults({ samples, memory, errors, devices, undelivered, forged }: Results): Checks {
  const live = growthOf(memory.map(({ at, liveMiB }) => [at, liveMiB]))
  const resident = growthOf(memory.map(({ at, residentMiB }) => [at, residentMiB]))
  const failures = Object.entries(errors).map(([error, count]) => `${count} × ${error}`)
  const check = (isMet: boolean, failure: string): void => void (isMet || failures.push(failure))
  for (const [name, { perHour, error }] of [
    ['live', live],
    ['resident', resident],
  ] as const) {
    const growth = `${perHour.toFixed(2)}% ± ${error.toFixed(2)}% per hour`
    const isKnown = error <= MAX_ERROR
    check(isKnown, `the run is too short or too noisy to measure the growth of ${name} memory: ${growth}`)
    check(!isKnown || perHour - 2 * error <= MAX_GROWTH, `${name} memory grows by ${growth}`)
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
  return { live, resident, failures }
}

/** Returns whether the median of the last third of the values exceeds that of the first third by at most TOLERANCE. */
function isStable(values: readonly number[]): boolean {
  const third = Math.ceil(values.length / 3)
  const [before, after] = [quantile(values.slice(0, third), 0.5), quantile(values.slice(-third), 0.5)]
  return after - before <= Math.max(TOLERANCE.count, before * TOLERANCE.part)
}
