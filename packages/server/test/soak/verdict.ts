import type { Sample } from './samples.ts'
import { type Slope, slopeOf } from './slope.ts'

export interface Judged {
  samples: readonly Sample[]
  /** Of requests, devices and the webhook, by what went wrong. */
  errors: Readonly<Record<string, number>>
  devices: number
  /** Changes of which the webhook was not told in the end. */
  untold: number
  forged: number
}

export interface Verdict {
  rss: Slope
  heap: Slope
  /** What did not hold; empty: all did. */
  failures: string[]
}

/** Per cent an hour that memory may grow by. */
const MOST_GROWTH = 1
/** Shorter than this, what memory does by itself cannot be told from growth. */
const LEAST_MINUTES = 20
/** Descriptors and connections come and go by a few. */
const LEVEL = { part: 0.02, count: 10 }
const MOST_LAG_SECONDS = 10

export const isLongEnough = (samples: readonly Sample[]): boolean =>
  samples.at(-1)!.at - samples[0]!.at >= LEAST_MINUTES - 1

/** What must hold for a server that could go on for ever. */
export function judge({ samples, errors, devices, untold, forged }: Judged): Verdict {
  const rss = slopeOf(byMinute(samples, ({ rssMiB }) => rssMiB, median))
  // What is in use just after a collection is the least of a minute.
  const heap = slopeOf(byMinute(samples, ({ heapMiB }) => heapMiB, least))
  const failures = Object.entries(errors).map(([what, count]) => `${count} times ${what}`)
  const check = (holds: boolean, what: string): void => void (holds || failures.push(what))
  if (isLongEnough(samples)) {
    check(rss.perHour < MOST_GROWTH, `memory grows by ${rss.perHour.toFixed(2)} % an hour`)
    check(heap.perHour < MOST_GROWTH, `the heap grows by ${heap.perHour.toFixed(2)} % an hour`)
  }
  check(isLevel(samples.map(({ descriptors }) => descriptors)), 'the number of open files is not level')
  check(
    isLevel(samples.map(({ databaseConnections }) => databaseConnections)),
    'the number of connections to the database is not level',
  )
  const lag = Math.max(
    ...samples.map(({ eventLagSeconds, deliveriesDueSeconds }) => eventLagSeconds + deliveriesDueSeconds),
  )
  check(lag <= MOST_LAG_SECONDS, `events and deliveries were ${lag.toFixed(1)} s behind`)
  check(
    samples.every(({ devicesConnected }) => devicesConnected === devices),
    'not all devices were connected all the time',
  )
  check(untold === 0, `the webhook was not told of ${untold} changes`)
  check(forged === 0, `${forged} messages of the webhook were not signed as they must be`)
  return { rss, heap, failures }
}

/** One value for each whole minute. */
function byMinute(
  samples: readonly Sample[],
  look: (sample: Sample) => number,
  together: (values: number[]) => number,
): [minutes: number, value: number][] {
  const minutes = Map.groupBy(samples, ({ at }) => Math.floor(at))
  return Array.from(minutes, ([minute, each]) => [minute, together(each.map(look))])
}

const least = (values: readonly number[]): number => Math.min(...values)
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!

/** Whether the last third is about where the first was. */
function isLevel(values: readonly number[]): boolean {
  const third = Math.ceil(values.length / 3)
  const [before, after] = [median(values.slice(0, third)), median(values.slice(-third))]
  return after - before <= Math.max(LEVEL.count, before * LEVEL.part)
}
