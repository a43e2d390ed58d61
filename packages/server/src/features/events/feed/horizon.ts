import type { LogEnd } from './feed.queries.ts'

/**
 * The number up to which the event log is settled: no more events will appear at or below it. A number drawn by a running
 * transaction is not settled, and neither is any number above it.
 */
export interface Horizon {
  /** Adds a reading of the log's end, and returns the settled number; undefined until one is known. */
  add(end: LogEnd, now: number): bigint | undefined
  /** When the oldest unsettled number was first seen; undefined if there is none. */
  unsettledSince(): number | undefined
}

interface Mark {
  last: bigint
  nextTransaction: bigint
  at: number
}

/** Maximum number of marks. While one transaction delays everything, the newest mark replaces the previous one. */
const MARKS = 64

export function createHorizon(): Horizon {
  let settled: bigint | undefined
  const marks: Mark[] = []

  return {
    add(end, now) {
      const latest = marks.at(-1)?.last ?? settled
      if (latest === undefined || end.last > latest) {
        if (marks.length === MARKS) marks.pop()
        marks.push({ last: end.last, nextTransaction: end.nextTransaction, at: now })
      }
      // A transaction that had an id when a mark was made has one below the mark's: once all of those have ended, they are read.
      while (marks.length > 0 && marks[0]!.nextTransaction <= end.ended) settled = marks.shift()!.last
      return settled
    },
    unsettledSince: () => marks[0]?.at,
  }
}
