import type { LogEnd } from './feed.queries.ts'

/**
 * Finds the id up to which the event log is settled: no more events will appear at or below it. An id assigned in a running
 * transaction is not settled, and neither is any id above it.
 */
export interface Horizon {
  /** Adds a reading of the log's end and returns the last settled id; undefined until one is known. */
  add(end: LogEnd, now: number): bigint | undefined
  /** When the oldest unsettled id was first seen; undefined if there is none. */
  unsettledSince(): number | undefined
}

interface Mark {
  last: bigint
  nextTransaction: bigint
  at: number
}

/** Maximum number of marks. While one transaction delays all events, the newest mark replaces the previous one. */
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
      // Transactions that could write events up to a mark have ids below its `nextTransaction`. Once they end, it is settled.
      while (marks.length > 0 && marks[0]!.nextTransaction <= end.ended) settled = marks.shift()!.last
      return settled
    },
    unsettledSince: () => marks[0]?.at,
  }
}
