/** Adjacent intervals that cover a time range. The first may begin before the range, and the last may end after it. */
export interface Intervals {
  /** The start of the first interval, in milliseconds since 1970. */
  start: number
  /** The length of each interval, in milliseconds. */
  step: number
  size: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The interval lengths. Each divides a minute, an hour, or a day evenly, or is a whole number of days or weeks. */
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 7, 14, 28].map((days) => days * DAY),
]
const LONGEST = 28 * DAY
/** Weeks are counted from this time, a Monday at 0:00 UTC. */
const MONDAY = 4 * DAY

/** Divides a time range into at most `size` intervals of a round length, aligned to UTC. Empty ranges have none. */
export function divide({ from, until }: { from: Date; until: Date }, size: number): Intervals {
  const step = steps.find((each) => countOf(each, from, until) <= size) ?? longStep(from, until, size)
  return { start: startOf(step, from), step, size: countOf(step, from, until) }
}

function longStep(from: Date, until: Date, size: number): number {
  let step = Math.max(1, Math.ceil((until.getTime() - from.getTime()) / size / LONGEST)) * LONGEST
  // The range can begin and end within an interval, so it may need one interval more than its length suggests.
  while (countOf(step, from, until) > size) step += LONGEST
  return step
}

function startOf(step: number, time: Date): number {
  const first = step < 7 * DAY ? 0 : MONDAY
  return first + Math.floor((time.getTime() - first) / step) * step
}

const countOf = (step: number, from: Date, until: Date): number =>
  from >= until ? 0 : Math.ceil((until.getTime() - startOf(step, from)) / step)
