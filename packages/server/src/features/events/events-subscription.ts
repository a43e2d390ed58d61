import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { Event } from './event.ts'
import { type EventFilterArguments, readEventFilter } from './event-filter.ts'
import { assertEventExists } from './events.ts'
import { type EventStart, streamEvents } from './feed/account-events.ts'
import { selectNumbers } from './feed/feed.queries.ts'
import type { Feed } from './feed/feed.ts'

export interface EventSubscriptionArguments extends Pick<EventFilterArguments, 'types' | 'deviceId'> {
  after?: string | null | undefined
}

/** The viewer's events in the order of their ids, until the iterator is returned. */
export async function subscribeToEvents(
  context: Context,
  { after, ...args }: EventSubscriptionArguments,
): Promise<AsyncIterableIterator<Event>> {
  const { db, viewer, feed, clock } = context
  const { types, deviceIds } = readEventFilter(args, { now: clock(), reachesBack: false })
  if (after != null) await assertEventExists(context, after)
  const start = after == null ? await startNow(context) : await startAfter(feed, after)
  return streamEvents({
    db,
    feed,
    accountId: viewer.accountId,
    start,
    filter: { ...(types && { types }), ...(deviceIds && { deviceIds }) },
  })
}

/** Events above it that are known of already: more of them come once more rather than not at all. */
const MOST_KNOWN = 10_000

/** What is committed from now on. Events that are there but not settled are left out by their numbers. */
async function startNow({ db, viewer, feed }: Context): Promise<EventStart> {
  const last = await feed.settle()
  const after = await positionOf(feed)
  if (last <= after) return { after }
  const known = await selectNumbers(db, viewer.accountId, { after, upTo: last, limit: MOST_KNOWN })
  return { after, known: new Set(known) }
}

async function startAfter(feed: Feed, id: string): Promise<EventStart> {
  await positionOf(feed)
  return { after: BigInt(id) }
}

/** For as long as a statement may take, by default. */
const TRIES = 600
const TRY_EVERY_MS = 50

/** Not known for as long as a transaction goes on that was there before the server began to look. */
async function positionOf(feed: Feed): Promise<bigint> {
  for (let time = 0; time < TRIES; time++) {
    if (feed.position !== undefined) return feed.position
    await sleep(TRY_EVERY_MS)
    await feed.settle()
  }
  throw new ApiError('UNAVAILABLE', 'a long transaction in the database holds up the events; try again later')
}
