import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../../db/database.ts'
import type { Notifications } from '../../../db/notifications.ts'
import { readLogEnd, readSettled } from './feed.queries.ts'
import type { FeedEvent } from './feed-event.ts'
import { createHorizon } from './horizon.ts'
import { createPacer } from './pacer.ts'

/** All events with numbers above `after` and up to `upTo`, of all accounts, in order. */
export interface FeedBatch {
  after: bigint
  upTo: bigint
  events: FeedEvent[]
}

export interface Feed {
  /** The settled end, up to which batches have been handed out; undefined while it is not known yet. */
  readonly position: bigint | undefined
  /**
   * From here on every batch: the first begins at `position` as it is at this moment, each other where the one before
   * ended. Returns what ends it.
   */
  subscribe(listener: (batch: FeedBatch) => void): () => void
  /** From here on each new position without the events, for who reads them by a cursor of its own. Returns what ends it. */
  onAdvance(listener: (position: bigint) => void): () => void
  /** Looks now and hands out what is settled. Resolves with the last number drawn, which `position` may not have reached. */
  settle(): Promise<bigint>
  /** Events were committed: looks soon and tells the other processes. Call it after commits, as often as may be. */
  wake(): void
  lag(): FeedLag
  close(): Promise<void>
}

export interface FeedLag {
  /** Age of the oldest event that may be there and has not been handed out. */
  seconds: number
  /** Numbers drawn and not handed out; those of events that were rolled back count as well. */
  events: number
}

export interface FeedOptions {
  db: Database
  notifications: Pick<Notifications, 'subscribe' | 'notify'>
  log: FastifyBaseLogger
}

/** NOTIFY channel, without a payload: events were committed. */
const eventChannel = 'muster_event'

const BATCH = 1_000
/** Between looks: with nothing to wait for, while something is not settled, and that doubled again and again. */
const IDLE_MS = 1_000
const LEAST_MS = 5
const MOST_UNSETTLED_MS = 250
/** From here on a look that does not come back counts as lag. */
const LATE_MS = 2 * IDLE_MS

/** Follows the event log in order, nothing missed and nothing twice, whatever commits late. One in a process. */
export function createFeed({ db, notifications, log }: FeedOptions): Feed {
  const horizon = createHorizon()
  const listeners = new Set<(batch: FeedBatch) => void>()
  const followers = new Set<(position: bigint) => void>()
  const pacer = createPacer()
  let position: bigint | undefined
  let batch = BATCH
  /** The log's end at the first look: it is settled some time later, and what was written meanwhile is handed out then. */
  let start: bigint | undefined
  let last = 0n
  let lookedAt = performance.now()
  let asked: PromiseWithResolvers<bigint>[] = []
  let isClosed = false

  const tell = <Told>(all: ReadonlySet<(told: Told) => void>, told: Told): void => {
    for (const one of [...all]) {
      try {
        one(told)
      } catch (error) {
        log.error({ err: error }, 'a listener of the event feed failed')
      }
    }
  }

  const advance = async (settled: bigint): Promise<void> => {
    let after = position ?? start ?? settled
    position = after
    while (after < settled) {
      // Where nobody listens nothing is read nor awaited, so nobody can begin to listen between here and the new position.
      const { events, upTo } =
        listeners.size === 0
          ? { events: [], upTo: settled }
          : await readSettled(db, { after, upTo: settled, limit: batch })
      batch = Math.min(BATCH, 2 * (upTo < settled ? events.length : batch))
      position = upTo
      tell(listeners, { after, upTo, events })
      tell(followers, upTo)
      after = upTo
    }
  }

  const look = async (): Promise<bigint> => {
    const end = await readLogEnd(db)
    last = end.last
    start ??= last
    const settled = horizon.add(end, performance.now())
    if (settled !== undefined) await advance(settled)
    lookedAt = performance.now()
    return end.last
  }

  const isFollowed = (): boolean => listeners.size + followers.size > 0

  const follow = async (): Promise<void> => {
    let unsettledPause = LEAST_MS
    let isFailing = false
    while (!isClosed) {
      const waiting = asked
      asked = []
      const before = position
      try {
        const found = await look()
        for (const each of waiting) each.resolve(found)
        if (isFailing) log.info('following the event log again')
        isFailing = false
      } catch (error) {
        for (const each of waiting) each.reject(error)
        if (!isFailing && !isClosed)
          log.warn({ err: error }, 'the event log cannot be followed; trying again each second')
        isFailing = true
      }
      const isUnsettled = !isFailing && isFollowed() && position !== last
      unsettledPause = isUnsettled && position === before ? Math.min(2 * unsettledPause, MOST_UNSETTLED_MS) : LEAST_MS
      await pacer.pause(isUnsettled ? unsettledPause : IDLE_MS, LEAST_MS)
    }
    for (const each of asked) each.reject(new Error('the event feed is closed'))
  }

  const cutPause = (): void => {
    if (isFollowed()) pacer.cut()
  }
  // Notifications may be lost: the feed also polls.
  const subscription = notifications.subscribe({
    channel: eventChannel,
    onNotification: ({ isOwn }) => {
      if (!isOwn) cutPause()
    },
    onGap: cutPause,
  })
  const ended = follow()

  return {
    get position() {
      return position
    },
    subscribe: (listener) => join(listeners, listener),
    onAdvance: (listener) => join(followers, listener),
    settle() {
      const answer = Promise.withResolvers<bigint>()
      if (isClosed) answer.reject(new Error('the event feed is closed'))
      else asked.push(answer)
      pacer.cut()
      return answer.promise
    },
    wake() {
      notifications.notify(eventChannel)
      cutPause()
    },
    lag() {
      const now = performance.now()
      const since = Math.min(horizon.unsettledSince() ?? now, now - lookedAt > LATE_MS ? lookedAt : now)
      return { seconds: (now - since) / 1_000, events: Number(last - (position ?? start ?? last)) }
    },
    async close() {
      isClosed = true
      pacer.cut()
      subscription.close()
      await ended
    },
  }
}

function join<Listener>(all: Set<Listener>, listener: Listener): () => void {
  all.add(listener)
  return () => void all.delete(listener)
}
