import type { LogEnd } from './feed.queries.ts'

/**
 * Finds the highest settled event ID. No more events can appear at or below a settled ID. An ID that a running
 * transaction was assigned is unsettled, as are all IDs above it.
 */
export interface Horizon {
  /** Adds a reading of the log's end. Returns the highest settled ID, or undefined if none is known yet. */
  add(end: LogEnd, now: number): bigint | undefined
  /** Returns when the oldest unsettled reading was added, or undefined if all readings are settled. */
  unsettledSince(): number | undefined
}

interface Mark {
  last: bigint
  nextTransaction: bigint
  at: number
}

/**
 * The maximum number of marks, which accumulate while one transaction delays all events. At this limit, a new mark
 * replaces the newest one.
 */
const MAX_MARKS = 64

export function createHorizon(): Horizon {
  let settled: bigint | undefined
  const marks: Mark[] = []

  return {
    add(end, now) {
      const latest = marks.at(-1)?.last ?? settled
      if (latest === undefined || end.last > latest) {
        if (marks.length === MAX_MARKS) marks.pop()
        marks.push({ last: end.last, nextTransaction: end.nextTransaction, at: now })
      }
      // Every transaction that could write events up to a mark has an ID below the mark's `nextTransaction`. The mark
      // is settled once all of these transactions have ended.
      while (marks.length > 0 && marks[0]!.nextTransaction <= end.ended) settled = marks.shift()!.last
      return settled
    },
    unsettledSince: () => marks[0]?.at,
  }
}
