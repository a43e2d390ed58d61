import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import { hasCitus } from '../../../db/cluster/catalog.ts'
import type { Database } from '../../../db/database.ts'
import type { Notifications } from '../../../db/notifications.ts'
import { readLogEnd, readNodes, readSettled } from './feed.queries.ts'
import type { FeedEvent } from './feed-event.ts'
import { createPacer } from './pacer.ts'
import { createSettledIds } from './settled-ids.ts'

/** All accounts' events with IDs above `after` and up to `upTo`, in ID order. */
export interface FeedBatch {
  after: bigint
  upTo: bigint
  events: FeedEvent[]
}

export interface Feed {
  /** The last ID up to which the feed has delivered every event. Undefined until the first settled ID is known. */
  readonly position: bigint | undefined
  /**
   * Calls the listener with each batch of events. The first batch begins at the current `position`. Each later batch
   * begins where the previous one ended. Returns a function that removes the listener.
   */
  subscribe(listener: (batch: FeedBatch) => void): () => void
  /**
   * Calls the listener with the new `position` each time it advances, but does not pass the events. Returns a function
   * that removes the listener.
   */
  onAdvance(listener: (position: bigint) => void): () => void
  /** Delivers settled events. Resolves to the last assigned event ID, which can be above `position`. */
  readNow(): Promise<bigint>
  /**
   * Makes this process read the log soon, if the feed has listeners, and notifies the other processes. Call this after
   * committing events. Repeated calls are cheap.
   */
  wake(): void
  lag(): FeedLag
  close(): Promise<void>
}

export interface FeedLag {
  /** The approximate age, in seconds, of the oldest event that the feed may not have delivered. */
  seconds: number
  /** The number of event IDs that have been assigned but not delivered, including IDs of rolled-back events. */
  events: number
}

export interface FeedOptions {
  db: Database
  notifications: Pick<Notifications, 'subscribe' | 'notify'>
  log: FastifyBaseLogger
  /** Whether the database is a cluster, where a commit becomes visible at different times on different nodes. */
  isCluster?: boolean
}

/** Notifications have no payload. */
const eventChannel = 'muster_event'

const BATCH = 1_000
/** The default pause between reads, in milliseconds. */
const IDLE_MS = 1_000
/**
 * The shortest pause between reads, in milliseconds, while events are unsettled. While the position does not advance,
 * the pauses double, up to `MAX_UNSETTLED_MS`.
 */
const MIN_UNSETTLED_MS = 5
const MAX_UNSETTLED_MS = 250
/** If no read succeeds for this number of milliseconds, the lag is at least the time since the last successful read. */
const LATE_MS = 2 * IDLE_MS

/** Creates a feed that neither misses nor repeats the events of transactions that commit late. */
export function createFeed({ db, notifications, log, isCluster = false }: FeedOptions): Feed {
  const settledIds = createSettledIds()
  const listeners = new Set<(batch: FeedBatch) => void>()
  const followers = new Set<(position: bigint) => void>()
  const pacer = createPacer()
  let position: bigint | undefined
  let batch = BATCH
  /**
   * The log's end at the first read. The feed delivers every event above this ID, even one that was written before this
   * ID was settled.
   */
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
        log.error({ err: error }, 'an event feed listener failed')
      }
    }
  }

  let hasNodes = false
  /** An operator can add the Citus extension while the server runs, so the feed checks until it finds the extension. */
  const findNodes = async (): Promise<boolean> => (hasNodes ||= await hasCitus(db))

  const advance = async (settled: bigint): Promise<void> => {
    let after = position ?? start ?? settled
    position = after
    while (after < settled) {
      // Without listeners, this loop must not await anything, because a listener could subscribe before the position
      // advances.
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
    // Reading the nodes opens a connection to each of them, so the feed does so only if there are new IDs to settle.
    if (isCluster && last !== position && (await findNodes())) end.nodes = await readNodes(db)
    const settled = settledIds.add(end, performance.now())
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
        if (isFailing) log.info('the event log can be read again')
        isFailing = false
      } catch (error) {
        for (const each of waiting) each.reject(error)
        if (!isFailing && !isClosed) log.warn({ err: error }, 'the event log cannot be read; retrying')
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
  // The feed also polls, because notifications can be lost.
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
      const since = Math.min(settledIds.unsettledSince() ?? now, now - readAt > LATE_MS ? readAt : now)
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
