import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../../db/database.ts'
import { isForeignKeyViolation } from '../../../db/database-errors.ts'
import type { Load } from '../../../http/average-load.ts'
import { pause } from '../../../lib/pause.ts'
import type { Feed, FeedLag } from '../../events/feed/feed.ts'
import { type FilteredEvent, insertCandidates } from '../candidates.queries.ts'
import { distinctWebhooks, type WebhookAddress } from '../webhook-channel.ts'
import { moveCursor, type OwedEvent, readCursor, readOldestAge, selectOwed } from './fan-out.queries.ts'
import { saveDeliveries } from './save-deliveries-and-jobs.ts'

/** Creates webhook deliveries for new events. Each process runs a fan-out, but only one of them handles an event. */
export interface FanOut {
  /** Returns how far the deliveries lag behind the feed. Returns undefined until the feed's position is known. */
  lag(): Promise<FeedLag | undefined>
  close(): Promise<void>
}

export interface FanOutOptions {
  db: Database
  feed: Pick<Feed, 'onAdvance' | 'position'>
  load: Load
  log: FastifyBaseLogger
  /** Whether this process is sending the webhook's deliveries. If so, new deliveries do not need a job. */
  isSending: (webhook: WebhookAddress) => boolean
  /** Called after deliveries to these webhooks are committed. */
  onCreated: (webhooks: WebhookAddress[]) => void
  /** Called after pending events of these webhooks are committed. */
  onWaiting: (webhooks: WebhookAddress[]) => void
}

/** The maximum number of event IDs per read. */
const RANGE = 500n
const IDLE_MS = 1_000
/** The minimum pause between two reads, in milliseconds. Events that accumulate during the pause share a batch. */
const MIN_PAUSE_MS = 10
/**
 * The minimum pause, in milliseconds, while another process is creating deliveries. Under high load, this pause also
 * applies when no events remain. A longer pause results in fewer, larger transactions.
 */
const BUSY_MS = 250
/** The minimum interval, in milliseconds, between saves of the cursor while no event needs a delivery. */
const SAVE_MS = 1_000

export function createFanOut({ db, feed, load, log, isSending, onCreated, onWaiting }: FanOutOptions): FanOut {
  const closing = new AbortController()
  let wake = Promise.withResolvers<void>()
  const unsubscribe = feed.onAdvance(() => wake.resolve())
  /** The cursor that the database should contain, and the event ID up to which no deliveries remain to be created. */
  let position: { cursor: bigint; upTo: bigint } | undefined
  let range = RANGE
  let savedAt = 0

  const moved = (hasMoved: boolean, to: bigint): Outcome => {
    position = hasMoved ? { cursor: to, upTo: to } : undefined
    savedAt = performance.now()
    return hasMoved ? 'done' : 'elsewhere'
  }

  const step = async (): Promise<Outcome> => {
    const settled = feed.position
    if (settled === undefined) return 'done'
    if (position === undefined) {
      const cursor = await readCursor(db)
      position = { cursor, upTo: cursor }
    }
    const { cursor, upTo: after } = position
    if (after >= settled) return 'done'
    const requested = smaller(settled, after + range)
    const { events, upTo } = await selectOwed(db, { after, upTo: requested })
    // The database reads every requested event to determine how many fit into one transaction. If only a few fit, the
    // next request should be small.
    range = smaller(RANGE, 2n * (upTo < requested ? upTo - after : range))
    let outcome: Outcome = 'done'
    if (events.length > 0) {
      const created = await commitDeliveries(db, { cursor, upTo, events, isSending })
      outcome = moved(created !== undefined, upTo)
      if (created !== undefined) onCreated(created)
      if (created !== undefined) onWaiting(distinctWebhooks(candidatesOf(events)))
    } else {
      position.upTo = upTo
      if (performance.now() - savedAt > SAVE_MS) outcome = moved(await moveCursor(db, { from: cursor, to: upTo }), upTo)
    }
    return outcome === 'done' && upTo < settled ? 'more' : outcome
  }

  const follow = async (): Promise<void> => {
    let isFailing = false
    while (!closing.signal.aborted) {
      wake = Promise.withResolvers()
      let outcome: Outcome = 'done'
      try {
        outcome = await step()
        if (isFailing) log.info('webhook deliveries can be created again')
        isFailing = false
      } catch (error) {
        // A webhook was deleted during the step, and the next attempt skips it.
        if (isForeignKeyViolation(error)) outcome = 'more'
        else if (!isFailing && !closing.signal.aborted)
          log.warn({ err: error }, 'cannot create webhook deliveries; retrying')
        isFailing = outcome !== 'more'
      }
      if (outcome === 'done') await Promise.race([wake.promise, pause(IDLE_MS, closing.signal)])
      const minPause = outcome === 'elsewhere' || (outcome === 'done' && load.isHigh()) ? BUSY_MS : MIN_PAUSE_MS
      await pause(isFailing ? IDLE_MS : minPause, closing.signal)
    }
  }
  const ended = follow()

  return {
    async lag() {
      const settled = feed.position
      if (settled === undefined) return undefined
      const after = position?.upTo ?? (await readCursor(db))
      if (after >= settled) return { seconds: 0, events: 0 }
      return { seconds: await readOldestAge(db, { after, upTo: settled }), events: Number(settled - after) }
    },
    async close() {
      unsubscribe()
      closing.abort()
      await ended
    },
  }
}

/**
 * The result of a step. `done` means that no events remain up to the feed's position, or that the position is unknown.
 * `more` means that events remain. `elsewhere` means that another process is creating deliveries.
 */
type Outcome = 'done' | 'more' | 'elsewhere'

interface Step extends Pick<FanOutOptions, 'isSending'> {
  /** The cursor at the time the events were read. */
  cursor: bigint
  upTo: bigint
  events: readonly OwedEvent[]
}

/**
 * Moves the cursor and saves the deliveries and the pending events in one transaction. Returns the webhooks that have
 * new deliveries. If another process has already moved the cursor, saves nothing and returns undefined.
 */
async function commitDeliveries(
  db: Database,
  { cursor, upTo, events, isSending }: Step,
): Promise<WebhookAddress[] | undefined> {
  const candidates = candidatesOf(events)
  return db.transaction().execute(async (transaction) => {
    if (!(await moveCursor(transaction, { from: cursor, to: upTo }))) return undefined
    if (candidates.length > 0) await insertCandidates(transaction, candidates)
    return saveDeliveries(transaction, events, isSending)
  })
}

const candidatesOf = (events: readonly OwedEvent[]): FilteredEvent[] =>
  events.flatMap(({ accountId, id, filteringIds }) =>
    filteringIds.map((webhookId) => ({ accountId, webhookId, eventId: id })),
  )

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other)
