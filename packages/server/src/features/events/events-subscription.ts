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
  const { types, deviceIds } = readEventFilter(args, { now: clock(), defaultsToMonth: false })
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

/** Maximum number of existing events above the position to exclude. If there are more, some are sent although they are old. */
const MAX_KNOWN = 10_000

/** The position for events committed from now on. Existing events that are not settled are excluded by id. */
async function startNow({ db, viewer, feed }: Context): Promise<EventStart> {
  const last = await feed.readNow()
  const after = await positionOf(feed)
  if (last <= after) return { after }
  const known = await selectNumbers(db, viewer.accountId, { after, upTo: last, limit: MAX_KNOWN })
  return { after, known: new Set(known) }
}

async function startAfter(feed: Feed, id: string): Promise<EventStart> {
  await positionOf(feed)
  return { after: BigInt(id) }
}

/** 30 seconds in total, the default time limit of a statement. */
const MAX_TRIES = 600
const TRY_INTERVAL_MS = 50

/** Waits until the position is known, which can be delayed by a transaction that is older than the feed. */
async function positionOf(feed: Feed): Promise<bigint> {
  for (let time = 0; time < MAX_TRIES; time++) {
    if (feed.position !== undefined) return feed.position
    await sleep(TRY_INTERVAL_MS)
    await feed.readNow()
  }
  throw new ApiError('UNAVAILABLE', 'a long transaction in the database delays events; retry later')
}
