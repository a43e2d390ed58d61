import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../../db/database.ts'
import type { Load } from '../../../http/load.ts'
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

/** Makes deliveries of events as they settle. One in each process; of all, one works at a time. */
export interface Maker {
  /** How far it is behind what is settled; undefined while nothing is known to be. */
  lag(): Promise<FeedLag | undefined>
  close(): Promise<void>
}

export interface MakerOptions {
  db: Database
  feed: Pick<Feed, 'onAdvance' | 'position'>
  load: Load
  log: FastifyBaseLogger
  /** Whether this process is sending to it: what is made for it needs no job then. */
  isSending: (webhook: WebhookAddress) => boolean
  /** Deliveries of these were committed. */
  onMade: (webhooks: WebhookAddress[]) => void
}

/** Numbers of the log that one transaction covers, at most. */
const RANGE = 500n
const IDLE_MS = 1_000
/** Between two looks: what came meanwhile is made together. */
const LEAST_MS = 10
/** The same while clients wait, for fewer and larger transactions; and while another process makes them. */
const BUSY_MS = 250
/** A cursor that only passed over events that nobody asked for is saved this often. */
const SAVE_MS = 1_000
/** After this the queue looks whether what was made is being sent, should this process die before it starts. */
const FALLBACK_SECONDS = 5

export function createMaker({ db, feed, load, log, isSending, onMade }: MakerOptions): Maker {
  const closing = new AbortController()
  let wake = Promise.withResolvers<void>()
  const endFollowing = feed.onAdvance(() => wake.resolve())
  /** Where the cursor is unless another process has moved it, and up to where nothing is owed. */
  let place: { cursor: bigint; upTo: bigint } | undefined
  /** Numbers that are looked at in one step. */
  let range = RANGE
  let savedAt = 0

  const moved = (hasMoved: boolean, to: bigint): Outcome => {
    place = hasMoved ? { cursor: to, upTo: to } : undefined
    savedAt = performance.now()
    return hasMoved ? 'done' : 'elsewhere'
  }

  const step = async (): Promise<Outcome> => {
    const settled = feed.position
    if (settled === undefined) return 'done'
    if (place === undefined) {
      const cursor = await readCursor(db)
      place = { cursor, upTo: cursor }
    }
    const { cursor, upTo: after } = place
    if (after >= settled) return 'done'
    const asked = least(settled, after + range)
    const { events, upTo } = await selectOwed(db, { after, upTo: asked })
    // To know what fits, the database weighs all it is asked about: where little does, it is asked about little.
    range = least(RANGE, 2n * (upTo < asked ? upTo - after : range))
    let outcome: Outcome = 'done'
    if (events.length > 0) {
      const made = await commitDeliveries(db, { cursor, upTo, events, isSending })
      outcome = moved(made !== undefined, upTo)
      if (made !== undefined) onMade(made)
    } else {
      place.upTo = upTo
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
        if (isFailing) log.info('making webhook deliveries again')
        isFailing = false
      } catch (error) {
        if (!isFailing && !closing.signal.aborted)
          log.warn({ err: error }, 'no webhook deliveries are made; trying again')
        isFailing = true
      }
      if (outcome === 'done') await Promise.race([wake.promise, pause(IDLE_MS, closing.signal)])
      const least = outcome === 'elsewhere' || (outcome === 'done' && load.isHigh()) ? BUSY_MS : LEAST_MS
      await pause(isFailing ? IDLE_MS : least, closing.signal)
    }
  }
  const ended = follow()

  return {
    async lag() {
      const settled = feed.position
      if (settled === undefined) return undefined
      const after = place?.upTo ?? (await readCursor(db))
      if (after >= settled) return { seconds: 0, events: 0 }
      return { seconds: await readOldestAge(db, { after, upTo: settled }), events: Number(settled - after) }
    },
    async close() {
      endFollowing()
      closing.abort()
      await ended
    },
  }
}

/** All is made that is settled; there is more; or another process is making it. */
type Outcome = 'done' | 'more' | 'elsewhere'

interface Step extends Pick<MakerOptions, 'isSending'> {
  /** Where the cursor was when the events were read. */
  cursor: bigint
  upTo: bigint
  events: readonly OwedEvent[]
}

/**
 * Deliveries, the cursor behind their events, and a job that sees to it that they are sent, all or nothing. Undefined, and nothing
 * done, when another process has got there first.
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

/** The body of an event is the same for every webhook, the message id is not. */
function deliveriesOf({ accountId, email, webhookIds, ...event }: OwedEvent): NewDelivery[] {
  const body = eventBody(event, { id: accountId, email })
  return webhookIds.map((webhookId) => ({ accountId, webhookId, id: newMessageId(), eventId: event.id, body }))
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)
