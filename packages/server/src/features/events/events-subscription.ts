import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { SubscriptionEventsArgs } from '../../resolvers.generated.ts'
import type { Restriction } from '../../restriction.ts'
import { findReached } from '../devices/devices.ts'
import { hasSelection, readSelection } from '../judging/device-selection.ts'
import { type EventJudge, openJudge } from '../judging/shared-judge.ts'
import { readReach } from '../restrictions/reach.ts'
import type { Event } from './event.ts'
import { readEventFilter } from './event-filter.ts'
import { assertEventExists } from './events.ts'
import { type EventStart, streamEvents } from './feed/event-stream.ts'
import { selectNumbers } from './feed/feed.queries.ts'
import type { Feed } from './feed/feed.ts'
import type { FeedEvent } from './feed/feed-event.ts'
import { isReadableEvent, permittedEvents } from './readable-events.ts'

/**
 * Iterates over the viewer's matching events in ID order until the caller calls `return()`. Throws an error when a view
 * that the filter uses becomes invalid or is deleted.
 */
export async function subscribeToEvents(
  context: Context,
  { after, where, view, context: inContext, ...args }: SubscriptionEventsArgs,
): Promise<AsyncIterableIterator<Event>> {
  const { db, viewer, feed, clock } = context
  const { types, deviceIds } = readEventFilter(args, { now: clock(), defaultsToMonth: false })
  if (after != null) await assertEventExists(context, after)
  const selection = await readSelection(context, { where, view, context: inContext })
  const judge = hasSelection(selection) ? await openJudge({ db, owner: feed, viewer, selection }) : undefined
  const start = await (after == null ? startNow(context) : startAfter(feed, after)).catch((error: unknown) => {
    judge?.close()
    throw error
  })
  const events = streamEvents({
    db,
    feed,
    accountId: viewer.accountId,
    start,
    filter: {
      ...(types && { types }),
      ...(deviceIds && { deviceIds }),
      ...(permittedEvents(viewer).devicesOnly && { devicesOnly: true }),
    },
    ...(judge && { judge }),
    ...(viewer.restriction && {
      visible: (each: readonly FeedEvent[]) => visibleNow(context, viewer.restriction!, each),
    }),
  })
  return judge === undefined ? events : closing(events, judge)
}

async function visibleNow(
  { db, viewer }: Context,
  restriction: Restriction,
  all: readonly FeedEvent[],
): Promise<readonly FeedEvent[]> {
  const events = all.filter((event) => isReadableEvent(viewer, event))
  if (events.length === 0) return events
  const { devices: inside } = await readReach(db, viewer.accountId, restriction)
  if (inside === undefined) return events
  const ids = [...new Set(events.flatMap(({ deviceId }) => deviceId ?? []))]
  const reached = new Set(await findReached(db, viewer.accountId, { ids, inside }))
  return events.filter(({ deviceId }) => deviceId !== null && reached.has(deviceId))
}

function closing(events: AsyncIterableIterator<Event>, judge: EventJudge): AsyncIterableIterator<Event> {
  return {
    async next() {
      try {
        const result = await events.next()
        if (result.done) judge.close()
        return result
      } catch (error) {
        judge.close()
        throw error
      }
    },
    async return() {
      judge.close()
      return (await events.return?.()) ?? { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/**
 * The maximum number of existing events above the feed's position that a stream excludes. If there are more, the stream
 * delivers the rest as if they were new.
 */
const MAX_KNOWN = 10_000

/** Returns a start after all existing events. If some of them are not settled yet, the stream excludes them by ID. */
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

/**
 * The maximum number of attempts to read the feed's position. Together, the pauses between the attempts last 30
 * seconds, which is the default statement timeout.
 */
const MAX_TRIES = 600
const TRY_INTERVAL_MS = 50

/**
 * Waits until the feed has a position. A transaction that began before the feed can delay the position. Throws
 * UNAVAILABLE after `MAX_TRIES` attempts.
 */
async function positionOf(feed: Feed): Promise<bigint> {
  for (let time = 0; time < MAX_TRIES; time++) {
    if (feed.position !== undefined) return feed.position
    await sleep(TRY_INTERVAL_MS)
    await feed.readNow()
  }
  throw new ApiError('UNAVAILABLE', 'a long transaction in the database delays events; retry when it has ended')
}
