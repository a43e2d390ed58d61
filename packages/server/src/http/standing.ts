import { performance } from 'node:perf_hooks'

/** So long may as many be under way as come together: then it is no burst any more. */
const BURST_MS = 2_000

export interface Standing {
  /** To be told each time that the number under way changes. */
  now(underWay: number): void
  /** Whether they have been too many all the while, and not yet few again. */
  is(): boolean
}

/**
 * Tells a queue that stands from a burst, as CoDel does (RFC 8289): of a burst the end comes soon, and it is worth waiting for; where
 * `most` and more have been under way for two seconds on end, each that is taken waits for all of them, for as long as more come than can be
 * answered. It is over once they are fewer than half of `most`. `elapsed`: milliseconds that never run backwards.
 */
export function createStanding(most: number, elapsed: () => number = () => performance.now()): Standing {
  let since: number | undefined
  const is = (): boolean => since !== undefined && elapsed() - since >= BURST_MS
  return {
    now(underWay) {
      if (underWay >= most) since ??= elapsed()
      else if (since !== undefined && (underWay < most / 2 || !is())) since = undefined
    },
    is,
  }
}
