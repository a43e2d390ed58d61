import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../../db/database.ts'
import type { Load } from '../../../http/request-load.ts'
import { putJobs } from '../../../jobs/queue.queries.ts'
import { pause } from '../../../lib/pause.ts'
import type { Feed, FeedLag } from '../../events/feed/feed.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import { newMessageId } from '../webhook-message.ts'
import { deliverJob, deliverKey } from '../webhooks.jobs.ts'
import { eventBody } from './event-body.ts'
import {
  insertDeliveries,
  moveCursor,
  type NewDelivery,
  type OwedEvent,
  readCursor,
  readOldestAge,
  selectOwed,
} from './making.queries.ts'

/** Creates deliveries from settled events. There is one per process, and one of them works at a time. */
export interface Maker {
  /** The lag behind the settled events; undefined until their position is known. */
  lag(): Promise<FeedLag | undefined>
  close(): Promise<void>
}

export interface MakerOptions {
  db: Database
  feed: Pick<Feed, 'onAdvance' | 'position'>
  load: Load
  log: FastifyBaseLogger
  /** Whether this process sends the webhook's deliveries, so that new ones need no job. */
  isSending: (webhook: WebhookAddress) => boolean
  /** Called after deliveries of these webhooks were committed. */
  onCreated: (webhooks: WebhookAddress[]) => void
}

/** Maximum number of event ids per transaction. */
const RANGE = 500n
const IDLE_MS = 1_000
/** Pause between two reads, so that deliveries are created in batches. */
const MIN_PAUSE_MS = 10
/** Pause while clients wait, for fewer and larger transactions, and while another process creates deliveries. */
const BUSY_MS = 250
/** How often to save a cursor that only skipped events without webhooks. */
const SAVE_MS = 1_000
/** After this time, a job checks that new deliveries are being sent, in case this process dies first. */
const FALLBACK_SECONDS = 5

export function createMaker({ db, feed, load, log, isSending, onCreated }: MakerOptions): Maker {
  const closing = new AbortController()
  let wake = Promise.withResolvers<void>()
  const unsubscribe = feed.onAdvance(() => wake.resolve())
  /** The expected position of the cursor, and the position up to which there is nothing to create. */
  let position: { cursor: bigint; upTo: bigint } | undefined
  /** Event ids to read in one step. */
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
    // The database reads every requested event to find how many fit, so the next request is small if few of them fit.
    range = smaller(RANGE, 2n * (upTo < requested ? upTo - after : range))
    let outcome: Outcome = 'done'
    if (events.length > 0) {
      const created = await commitDeliveries(db, { cursor, upTo, events, isSending })
      outcome = moved(created !== undefined, upTo)
      if (created !== undefined) onCreated(created)
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
        if (isFailing) log.info('webhook deliveries are created again')
        isFailing = false
      } catch (error) {
        if (!isFailing && !closing.signal.aborted)
          log.warn({ err: error }, 'webhook deliveries cannot be created; retrying')
        isFailing = true
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

/** All settled events are done, there are more, or another process is creating deliveries. */
type Outcome = 'done' | 'more' | 'elsewhere'

interface Step extends Pick<MakerOptions, 'isSending'> {
  /** The cursor when the events were read. */
  cursor: bigint
  upTo: bigint
  events: readonly OwedEvent[]
}

/**
 * Saves deliveries, the cursor after their events, and a job that starts sending them, in one transaction. Returns undefined
 * and does nothing if another process was first.
 */
async function commitDeliveries(
  db: Database,
  { cursor, upTo, events, isSending }: Step,
): Promise<WebhookAddress[] | undefined> {
  const deliveries = events.flatMap(deliveriesOf)
  const webhooks = [
    ...new Map(deliveries.map(({ accountId, webhookId }) => [webhookId, { accountId, webhookId }])).values(),
  ]
  const jobs = webhooks
    .filter((webhook) => !isSending(webhook))
    .map((webhook) => ({ key: deliverKey(webhook.webhookId), payload: webhook, delay: FALLBACK_SECONDS }))
  return db.transaction().execute(async (transaction) => {
    if (!(await moveCursor(transaction, { from: cursor, to: upTo }))) return undefined
    await insertDeliveries(transaction, deliveries)
    await putJobs(transaction, deliverJob, jobs)
    return webhooks
  })
}

/** The body of an event is the same for every webhook; the message id is not. */
function deliveriesOf({ accountId, email, webhookIds, ...event }: OwedEvent): NewDelivery[] {
  const body = eventBody(event, { id: accountId, email })
  return webhookIds.map((webhookId) => ({ accountId, webhookId, id: newMessageId(), eventId: event.id, body }))
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other)
