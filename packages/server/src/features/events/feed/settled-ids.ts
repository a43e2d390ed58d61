import type { LogEnd, TransactionIds } from './feed.queries.ts'

/**
 * No more events can appear at or below a settled ID. An ID that was assigned to a running transaction and all IDs
 * above it are unsettled.
 */
export interface SettledIds {
  /** Returns the highest settled ID, or undefined if none is known yet. */
  add(end: LogEnd, now: number): bigint | undefined
  /** Returns the time at which the oldest unsettled ID was added, or undefined if all added IDs are settled. */
  unsettledSince(): number | undefined
}

/**
 * On a cluster, a transaction ends first on the node that assigned its event IDs, and only then on the nodes with its
 * rows. On these nodes, the transaction has prepared its commit, so it has a transaction ID there. A transaction on a
 * worker already has a transaction ID when the coordinator assigns its event IDs. An event ID is therefore settled only
 * after two steps. First, it must be settled on the node that assigned it. Then every transaction that had a
 * transaction ID on any node at that time must end.
 */
export function createSettledIds(): SettledIds {
  const assigned = createMarks()
  let written = createMarks()
  let nodes = ''

  return {
    add({ last, nodes: readings, ...own }, now) {
      const settled = assigned.add(last, [own], now)
      if (readings === undefined || settled === undefined) return settled
      const present = [...readings.keys()].join()
      if (present !== nodes) written = createMarks()
      nodes = present
      return written.add(settled, [...readings.values()], now)
    },
    unsettledSince: () => written.oldest() ?? assigned.oldest(),
  }
}

interface Mark {
  last: bigint
  nextTransactions: readonly bigint[]
  at: number
}

/** Marks accumulate while one transaction delays all events. At this limit, a new mark replaces the newest one. */
const MAX_MARKS = 64

function createMarks() {
  let settled: bigint | undefined
  const marks: Mark[] = []

  return {
    /** Each call must pass the same databases in the same order. */
    add(last: bigint, databases: readonly TransactionIds[], now: number): bigint | undefined {
      const latest = marks.at(-1)?.last ?? settled
      if (latest === undefined || last > latest) {
        if (marks.length === MAX_MARKS) marks.pop()
        marks.push({ last, nextTransactions: databases.map(({ nextTransaction }) => nextTransaction), at: now })
      }
      // Every transaction that could write events up to a mark has an ID below the mark's next transaction ID. The mark
      // is settled once all of these transactions have ended.
      const hasEnded = ({ nextTransactions }: Mark): boolean =>
        databases.every(({ ended }, index) => nextTransactions[index]! <= ended)
      while (marks.length > 0 && hasEnded(marks[0]!)) settled = marks.shift()!.last
      return settled
    },
    oldest: () => marks[0]?.at,
  }
}
