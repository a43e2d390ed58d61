import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../../db/database.ts'
import { isForeignKeyViolation } from '../../../db/database-errors.ts'
import { ApiError } from '../../../errors.ts'
import { pause } from '../../../lib/pause.ts'
import { resolveSelection } from '../../judging/device-selection.ts'
import { type JudgedEvent, judgeEvents } from '../../judging/judge.ts'
import type { Selection } from '../../judging/needs.ts'
import {
  type Candidate,
  type PassingEvent,
  removeCandidates,
  selectCandidates,
  selectPassing,
  selectWaiting,
} from '../candidates.queries.ts'
import { saveDeliveries } from '../fan-out/save-deliveries-and-jobs.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import { findWebhookRow } from '../webhooks.queries.ts'
import { endViewPause, pauseForView } from './view-pause.ts'

/** Applies the filters of webhooks to pending events, and creates the deliveries. Each process runs one filterer. */
export interface Filterer {
  /** Starts to apply the filters of these webhooks, which may have pending events. */
  kick(webhooks: readonly WebhookAddress[]): void
  close(): Promise<void>
}

export interface FiltererOptions {
  db: Database
  log: FastifyBaseLogger
  isSending: (webhook: WebhookAddress) => boolean
  /** Called after deliveries to these webhooks are committed. */
  onCreated: (webhooks: WebhookAddress[]) => void
}

const BATCH = 2_000
/** The maximum number of accounts whose filters are applied at the same time. */
const CONCURRENT = 2
/**
 * The interval, in milliseconds, between searches for webhooks (`selectWaiting`). The searches find webhooks whose
 * pending events another process left unprocessed, and webhooks that are paused because of their view.
 */
const POLL_MS = 5_000
const RETRY_MS = 1_000

export function createFilterer(options: FiltererOptions): Filterer {
  const { db, log } = options
  const closing = new AbortController()
  /** The webhooks that may have pending events, by account. The accounts take turns in the order of the map. */
  const waiting = new Map<string, Map<string, WebhookAddress>>()
  const busy = new Set<string>()
  const running = new Set<Promise<void>>()
  const failing = new Set<string>()

  const kick = (webhooks: readonly WebhookAddress[]): void => {
    for (const webhook of webhooks) {
      const ofAccount = waiting.get(webhook.accountId) ?? new Map<string, WebhookAddress>()
      waiting.set(webhook.accountId, ofAccount.set(webhook.webhookId, webhook))
    }
    while (running.size < CONCURRENT && nextAccount() !== undefined && !closing.signal.aborted) {
      const turns: Promise<void> = takeTurns().finally(() => running.delete(turns))
      running.add(turns)
    }
  }

  const nextAccount = (): string | undefined => waiting.keys().find((accountId) => !busy.has(accountId))

  const takeTurns = async (): Promise<void> => {
    for (let accountId = nextAccount(); accountId !== undefined; accountId = nextAccount()) {
      const webhooks = [...waiting.get(accountId)!.values()]
      waiting.delete(accountId)
      busy.add(accountId)
      for (const webhook of webhooks) if ((await step(webhook)) === 'more') kick([webhook])
      busy.delete(accountId)
      if (closing.signal.aborted) return
    }
  }

  const step = async (webhook: WebhookAddress): Promise<'done' | 'more'> => {
    const { webhookId } = webhook
    try {
      // After a failure, process one event at a time, because one event of a large device may have caused the failure.
      const outcome = await filterBatch(options, webhook, failing.has(webhookId) ? 1 : BATCH)
      if (failing.delete(webhookId)) log.info(webhook, 'the filter of a webhook can be applied again')
      return outcome
    } catch (error) {
      if (closing.signal.aborted) return 'done'
      // The webhook and its pending events were deleted during the step.
      if (isForeignKeyViolation(error)) return 'more'
      if (!failing.has(webhookId))
        log.warn({ err: error, ...webhook }, 'cannot apply the filter of a webhook; retrying')
      failing.add(webhookId)
      void pause(RETRY_MS, closing.signal).then(() => kick([webhook]))
      return 'done'
    }
  }

  const poll = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await selectWaiting(db)
        .then(kick)
        .catch((error: unknown) =>
          log.debug({ err: error }, 'cannot search for webhooks with pending events; retrying'),
        )
      await pause(POLL_MS, closing.signal)
    }
  }
  const polling = poll()

  return {
    kick,
    async close() {
      closing.abort()
      await polling
      await Promise.all(running)
    },
  }
}

/**
 * Applies the webhook's filter to up to `limit` pending events. If the webhook's view is invalid, pauses the webhook
 * instead. Returns `more` if pending events may remain.
 */
async function filterBatch(options: FiltererOptions, webhook: WebhookAddress, limit: number): Promise<'done' | 'more'> {
  const { db } = options
  const { accountId, webhookId } = webhook
  const row = await findWebhookRow(db, accountId, webhookId)
  if (row === undefined) return 'done'
  const selection = await resolveSelection({ db, viewer: { accountId } }, row).catch(brokenView)
  if (selection instanceof ApiError) {
    await pauseForView(db, webhook, selection)
    return 'done'
  }
  if (row.isViewBroken) await endViewPause(db, webhook)
  const candidates = await selectCandidates(db, webhook, limit)
  if (candidates.length === 0) return 'done'
  const passing = await passingOf(db, accountId, { candidates, selection })
  const events = passing.length === 0 ? [] : await selectPassing(db, accountId, passing)
  const isPart = events.length < passing.length && events.length > 0
  const done = isPart ? candidates.slice(0, candidates.findIndex(({ id }) => id === events.at(-1)!.id) + 1) : candidates
  await commit(options, webhook, { events, done: done.map(({ id }) => id) })
  return isPart || candidates.length === limit ? 'more' : 'done'
}

function brokenView(error: unknown): ApiError {
  const codes = ['CONFLICT', 'NOT_FOUND', 'BAD_USER_INPUT', 'LIMIT_EXCEEDED']
  if (error instanceof ApiError && codes.includes(error.code)) return error
  throw error
}

async function passingOf(
  db: Database,
  accountId: string,
  { candidates, selection }: { candidates: readonly Candidate[]; selection: Selection },
): Promise<string[]> {
  const events = candidates.filter((candidate): candidate is Candidate & JudgedEvent => candidate.timestamp !== null)
  const passing = await judgeEvents(db, accountId, { selection, events })
  return events.map(({ id }) => id).filter((id) => passing.has(id))
}

/**
 * Removes the pending events whose IDs are in `done`, and saves deliveries of `events`. Skips events that another
 * process has already removed.
 */
async function commit(
  { db, isSending, onCreated }: FiltererOptions,
  webhook: WebhookAddress,
  { events, done }: { events: readonly PassingEvent[]; done: readonly string[] },
): Promise<void> {
  const created = await db.transaction().execute(async (transaction) => {
    const removed = await removeCandidates(transaction, webhook, done)
    const delivered = events
      .filter(({ id }) => removed.has(id))
      .map((event) => ({ ...event, accountId: webhook.accountId, webhookIds: [webhook.webhookId] }))
    return saveDeliveries(transaction, delivered, isSending)
  })
  onCreated(created)
}
