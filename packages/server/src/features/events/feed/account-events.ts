import type { Database } from '../../../db/database.ts'
import { readSettledOfAccount } from './feed.queries.ts'
import type { Feed } from './feed.ts'
import type { FeedEvent } from './feed-event.ts'
import { type AccountFilter, collectLive } from './live-events.ts'

export interface EventStart {
  after: bigint
  /** Ids above `after` to exclude. */
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

/** Events per page, and the approximate bytes of one page. */
const PAGE = { least: 10, most: 500, bytes: 1024 * 1024 }

/**
 * The events of one account after a start, each once and in order, at the speed of the consumer. Settled events come from the table,
 * new events from memory, and events again from the table if the consumer falls behind the memory limit.
 * `return()` ends it, also while it waits.
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
    // Events settled so far come from the table, and events that settle from now on are collected: no gap and no duplicate.
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
