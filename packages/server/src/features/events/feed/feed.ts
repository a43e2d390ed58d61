import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../../db/database.ts'
import type { Notifications } from '../../../db/notifications.ts'
import { readLogEnd, readSettled } from './feed.queries.ts'
import type { FeedEvent } from './feed-event.ts'
import { createHorizon } from './horizon.ts'
import { createPacer } from './pacer.ts'

/** All events of all accounts with ids above `after` and up to `upTo`, in order. */
export interface FeedBatch {
  after: bigint
  upTo: bigint
  events: FeedEvent[]
}

export interface Feed {
  /** The last id of the batches delivered so far, all settled; undefined until it is known. */
  readonly position: bigint | undefined
  /**
   * Calls back with every batch from now on. The first batch begins at the current `position`, and each later one where the
   * previous one ended. Returns a function that unsubscribes.
   */
  subscribe(listener: (batch: FeedBatch) => void): () => void
  /** Calls back with each new position, for readers with their own cursor. Returns a function that unsubscribes. */
  onAdvance(listener: (position: bigint) => void): () => void
  /** Reads now and delivers settled events. Resolves to the last assigned id, which `position` may not have reached. */
  readNow(): Promise<bigint>
  /** Reads soon and notifies the other processes. Call after committing events, as often as needed. */
  wake(): void
  lag(): FeedLag
  close(): Promise<void>
}

export interface FeedLag {
  /** Age of the oldest event that may exist and has not been delivered. */
  seconds: number
  /** Number of ids assigned but not delivered, including those of events that were rolled back. */
  events: number
}

export interface FeedOptions {
  db: Database
  notifications: Pick<Notifications, 'subscribe' | 'notify'>
  log: FastifyBaseLogger
}

/** NOTIFY channel for committed events, without a payload. */
const eventChannel = 'muster_event'

const BATCH = 1_000
/** Milliseconds between reads: while idle, while events are not settled (doubled each time), and the maximum of the latter. */
const IDLE_MS = 1_000
const MIN_UNSETTLED_MS = 5
const MAX_UNSETTLED_MS = 250
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
  let readAt = performance.now()
  let requests: PromiseWithResolvers<bigint>[] = []
  let isClosed = false

  const emit = <Value>(targets: ReadonlySet<(value: Value) => void>, value: Value): void => {
    for (const listener of [...targets]) {
      try {
        listener(value)
      } catch (error) {
        log.error({ err: error }, 'a listener of the event feed failed')
      }
    }
  }

  const advance = async (settled: bigint): Promise<void> => {
    let after = position ?? start ?? settled
    position = after
    while (after < settled) {
      // Without listeners there is no read and no await, so no listener can subscribe before the position advances.
      const { events, upTo } =
        listeners.size === 0
          ? { events: [], upTo: settled }
          : await readSettled(db, { after, upTo: settled, limit: batch })
      batch = Math.min(BATCH, 2 * (upTo < settled ? events.length : batch))
      position = upTo
      emit(listeners, { after, upTo, events })
      emit(followers, upTo)
      after = upTo
    }
  }

  const readLog = async (): Promise<bigint> => {
    const end = await readLogEnd(db)
    last = end.last
    start ??= last
    const settled = horizon.add(end, performance.now())
    if (settled !== undefined) await advance(settled)
    readAt = performance.now()
    return end.last
  }

  const isFollowed = (): boolean => listeners.size + followers.size > 0

  const follow = async (): Promise<void> => {
    let unsettledPause = MIN_UNSETTLED_MS
    let isFailing = false
    while (!isClosed) {
      const waiting = requests
      requests = []
      const before = position
      try {
        const found = await readLog()
        for (const each of waiting) each.resolve(found)
        if (isFailing) log.info('the event log is readable again')
        isFailing = false
      } catch (error) {
        for (const each of waiting) each.reject(error)
        if (!isFailing && !isClosed) log.warn({ err: error }, 'the event log cannot be read; retrying every second')
        isFailing = true
      }
      const isUnsettled = !isFailing && isFollowed() && position !== last
      unsettledPause =
        isUnsettled && position === before ? Math.min(2 * unsettledPause, MAX_UNSETTLED_MS) : MIN_UNSETTLED_MS
      await pacer.pause(isUnsettled ? unsettledPause : IDLE_MS, MIN_UNSETTLED_MS)
    }
    for (const each of requests) each.reject(new Error('the event feed is closed'))
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
    subscribe: (listener) => addListener(listeners, listener),
    onAdvance: (listener) => addListener(followers, listener),
    readNow() {
      const request = Promise.withResolvers<bigint>()
      if (isClosed) request.reject(new Error('the event feed is closed'))
      else requests.push(request)
      pacer.cut()
      return request.promise
    },
    wake() {
      notifications.notify(eventChannel)
      cutPause()
    },
    lag() {
      const now = performance.now()
      const since = Math.min(horizon.unsettledSince() ?? now, now - readAt > LATE_MS ? readAt : now)
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

function addListener<Listener>(all: Set<Listener>, listener: Listener): () => void {
  all.add(listener)
  return () => void all.delete(listener)
}
