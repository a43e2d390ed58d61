import type { LogEnd } from './feed.queries.ts'

/**
 * Up to which number the event log is settled: no event at or below it is still to come. A number drawn by a transaction
 * that goes on is not settled, and neither are those above it, whoever drew them.
 */
export interface Horizon {
  /** Takes in what was read of the log's end; undefined until the first time that something is known to be settled. */
  add(end: LogEnd, now: number): bigint | undefined
  /** Since when something not settled has been known to be there; undefined where there is nothing. */
  unsettledSince(): number | undefined
}

interface Mark {
  last: bigint
  nextTransaction: bigint
  at: number
}

/** Marks kept. While one transaction holds everything up, the newest takes the place of the one before. */
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
