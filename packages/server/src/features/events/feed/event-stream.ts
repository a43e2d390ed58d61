import type { Database } from '../../../db/database.ts'
import type { EventJudge } from '../../judging/shared-judge.ts'
import { readSettledOfAccount } from './feed.queries.ts'
import type { Feed } from './feed.ts'
import type { FeedEvent } from './feed-event.ts'
import { type AccountFilter, collectLive } from './live-event-buffer.ts'

export interface EventStart {
  after: bigint
  /** The IDs of the events to exclude, which are all above `after`. */
  known?: ReadonlySet<string>
}

export interface EventStreamOptions {
  db: Database
  /** The feed's position must be known. */
  feed: Feed
  accountId: string
  start: EventStart
  filter: AccountFilter
  /** When the judge's signal is aborted, the iterator throws the signal's reason. */
  judge?: Pick<EventJudge, 'signal' | 'passing'>
  /** Returns the events that the caller may see. If omitted, the caller may see all events. */
  visible?: (events: readonly FeedEvent[]) => Promise<readonly FeedEvent[]>
}

/** Limits the number of events per page, and the approximate size of a page in bytes. */
const PAGE = { min: 10, max: 500, bytes: 1024 * 1024 }

/**
 * The iterator delivers each matching event exactly once and in order. It reads settled events from the table and new
 * events from memory. If the consumer is so slow that new events exceed the memory limit, the iterator reads from the
 * table again. `return()` ends the iteration even during a wait.
 */
export function streamEvents(options: EventStreamOptions): AsyncIterableIterator<FeedEvent> {
  const ended = new AbortController()
  const { judge } = options
  const events = follow(options, judge === undefined ? ended.signal : AbortSignal.any([ended.signal, judge.signal]))
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
  { db, feed, accountId, start, filter, judge, visible = async (events) => events }: EventStreamOptions,
  ended: AbortSignal,
): AsyncGenerator<FeedEvent, void, void> {
  const isKnown = ({ id }: FeedEvent): boolean => start.known?.has(id) === true
  const passing = async (events: readonly FeedEvent[]): Promise<readonly FeedEvent[]> => {
    const unknown = events.filter((event) => !isKnown(event))
    if (unknown.length === 0) return unknown
    if (judge === undefined) return visible(unknown)
    const ids = await judge.passing(unknown)
    return visible(unknown.filter(({ id }) => ids.has(id)))
  }
  let after = start.after
  let limit = PAGE.min
  while (!ended.aborted) {
    // Each pass reads the table up to the current position, and collects later events in memory. Collecting begins
    // before the read, which prevents gaps and duplicates.
    const upTo = feed.position!
    const live = collectLive({ feed, accountId, filter, after: after > upTo ? after : upTo, ended })
    try {
      if (after < upTo) {
        const page = await readSettledOfAccount(db, accountId, { after, upTo, limit, ...filter })
        for (const event of await passing(page.events)) yield event
        if (page.upTo < upTo) {
          after = page.upTo
          limit = nextLimit(page.events)
          continue
        }
      }
      for (;;) {
        const events = await live.take()
        if (events === undefined) break
        for (const event of await passing(events)) yield event
      }
      after = live.end
    } finally {
      live.close()
    }
  }
  if (judge?.signal.aborted) throw judge.signal.reason
}

function nextLimit(page: readonly FeedEvent[]): number {
  const bytes = page.reduce((sum, event) => sum + event.bytes, 0)
  return Math.max(PAGE.min, Math.min(PAGE.max, Math.floor((PAGE.bytes / bytes) * page.length)))
}
