import type { Database } from '../../../db/database.ts'
import { readSettledOfAccount } from './feed.queries.ts'
import type { Feed } from './feed.ts'
import type { FeedEvent } from './feed-event.ts'
import { type AccountFilter, collectLive } from './live-events.ts'

export interface EventStart {
  after: bigint
  /** Ids above `after` that are left out. */
  known?: ReadonlySet<string>
}

export interface EventStreamOptions {
  db: Database
  /** Its position must be known. */
  feed: Feed
  accountId: string
  start: EventStart
  filter: AccountFilter
}

/** Events of a page, and bytes that one should hold, about. */
const PAGE = { least: 10, most: 500, bytes: 1024 * 1024 }

/**
 * The events of one account that come after a start, each once and in order, at the pace of whoever takes them: those that are
 * settled from the table, then from memory as they come, and from the table again when more came than memory is spent on.
 * Ends when it is returned, also while it waits.
 */
export function streamEvents(options: EventStreamOptions): AsyncIterableIterator<FeedEvent> {
  const ended = new AbortController()
  const events = follow(options, ended.signal)
  return {
    next: () => events.next(),
    return: () => {
      ended.abort()
      return events.return()
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

async function* follow(
  { db, feed, accountId, start, filter }: EventStreamOptions,
  ended: AbortSignal,
): AsyncGenerator<FeedEvent, void, void> {
  const isKnown = ({ id }: FeedEvent): boolean => start.known?.has(id) === true
  let after = start.after
  let limit = PAGE.least
  while (!ended.aborted) {
    // What is settled by now is read from the table, and what settles from now on is collected: no gap, and nothing twice.
    const upTo = feed.position!
    const live = collectLive({ feed, accountId, filter, after: after > upTo ? after : upTo, ended })
    try {
      if (after < upTo) {
        const page = await readSettledOfAccount(db, accountId, { after, upTo, limit, ...filter })
        for (const event of page.events) if (!isKnown(event)) yield event
        if (page.upTo < upTo) {
          after = page.upTo
          limit = nextLimit(page.events)
          continue
        }
      }
      for (;;) {
        const events = await live.take()
        if (events === undefined) break
        for (const event of events) if (!isKnown(event)) yield event
      }
      after = live.end
    } finally {
      live.close()
    }
  }
}

function nextLimit(page: readonly FeedEvent[]): number {
  const bytes = page.reduce((sum, event) => sum + event.bytes, 0)
  return Math.max(PAGE.least, Math.min(PAGE.most, Math.floor((PAGE.bytes / bytes) * page.length)))
}
