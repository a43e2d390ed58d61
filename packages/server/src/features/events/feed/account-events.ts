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
  /** A feed whose position is known. */
  feed: Feed
  accountId: string
  start: EventStart
  filter: AccountFilter
}

/** Minimum and maximum number of events per page, and its approximate size in bytes. */
const PAGE = { min: 10, max: 500, bytes: 1024 * 1024 }

/**
 * The events of one account after a start, each once and in order, at the speed of the consumer. Settled events come from the
 * table and new events from memory. If the consumer falls behind the memory limit, events come from the table again. `return()`
 * ends the iteration even while it waits.
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
  let limit = PAGE.min
  while (!ended.aborted) {
    // Events that are already settled come from the table. Later ones are collected from now on, so there is no gap or
    // duplicate.
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
  return Math.max(PAGE.min, Math.min(PAGE.max, Math.floor((PAGE.bytes / bytes) * page.length)))
}
