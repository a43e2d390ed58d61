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
  /** The last number of the batches delivered so far, all settled; undefined until it is known. */
  readonly position: bigint | undefined
  /**
   * Calls back with every batch from now on. The first begins at the current `position`, and each other where the previous one
   * ended. Returns a function that unsubscribes.
   */
  subscribe(listener: (batch: FeedBatch) => void): () => void
  /** Calls back with each new position but no events, for readers with their own cursor. Returns a function that unsubscribes. */
  onAdvance(listener: (position: bigint) => void): () => void
  /** Reads now and delivers settled events. Resolves to the last number drawn, which `position` may not have reached. */
  settle(): Promise<bigint>
  /** Call after committing events, as often as needed: reads soon, and notifies the other processes. */
  wake(): void
  lag(): FeedLag
  close(): Promise<void>
}

export interface FeedLag {
  /** Age of the oldest event that may exist and has not been delivered. */
  seconds: number
  /** Numbers drawn but not delivered, including those of events that were rolled back. */
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
/** Milliseconds between reads: while idle, while something is not settled (doubled each time), and the limit of the doubling. */
const IDLE_MS = 1_000
const LEAST_MS = 5
const MOST_UNSETTLED_MS = 250
/** A read that takes longer than this counts as lag. */
const LATE_MS = 2 * IDLE_MS

/** Follows the event log in order. Transactions that commit late cause no missing or duplicate events. One per process. */
export function createFeed({ db, notifications, log }: FeedOptions): Feed {
  const horizon = createHorizon()
  const listeners = new Set<(batch: FeedBatch) => void>()
  const followers = new Set<(position: bigint) => void>()
  const pacer = createPacer()
  let position: bigint | undefined
  let batch = BATCH
  /** The log's end at the first read. Events written before it is settled are delivered then. */
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
      // Without listeners there is no read and no await, so none can subscribe between here and the new position.
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
        if (isFailing) log.info('the event log is readable again')
        isFailing = false
      } catch (error) {
        for (const each of waiting) each.reject(error)
        if (!isFailing && !isClosed) log.warn({ err: error }, 'the event log cannot be read; retrying every second')
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
