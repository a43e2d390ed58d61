import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Secrets } from '../../../auth/secrets.ts'
import type { Database } from '../../../db/database.ts'
import type { Load } from '../../../http/average-load.ts'
import { putJobs, removeJob } from '../../../jobs/queue.queries.ts'
import type { Outbound, OutboundResult } from '../../../outbound/outbound-post.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import { deliverJob, deliverKey } from '../webhooks.jobs.ts'
import { notifyWebhook } from '../webhooks.queries.ts'
import { createResults } from './attempt-results.ts'
import { createThrottle } from './attempt-throttle.ts'
import {
  findHoldEnd,
  type Health,
  HOLD_SECONDS,
  releaseHold,
  renewHolds,
  secondsUntilDue,
  takeHold,
} from './sending.queries.ts'
import { type Runner, type RunnerDeps, type RunnerEnd, startRunner } from './webhook-runner.ts'

/** Each process runs one sender. Only one sender at a time holds a webhook and sends its deliveries. */
export interface Sender {
  /** Starts sending a webhook's due deliveries, or notifies the process that holds the webhook. */
  start(webhook: WebhookAddress): Promise<void>
  /** Like `start`, but returns immediately and logs a failure. */
  kick(webhook: WebhookAddress): void
  /** Handles a notification about a webhook. Like `kick`, but reads the webhook again and notifies no other process. */
  notify(webhook: WebhookAddress): void
  isSending(webhook: WebhookAddress): boolean
  /** Starts no further attempts, waits up to three seconds for attempts in flight, and releases all webhooks. */
  close(): Promise<void>
}

export interface SenderOptions {
  db: Database
  secrets: Secrets
  outbound: Outbound
  load: Load
  log: FastifyBaseLogger
  schedule: readonly number[]
  onAttempt: (result: OutboundResult) => void
}

const RENEW_MS = 3_000
const SLOTS = 1_000
const STOP_MS = 3_000
/** The number of seconds after which a job checks whether the hold was renewed. */
const WATCH_SECONDS = HOLD_SECONDS + 1

export function createSender(options: SenderOptions): Sender {
  const { db, log } = options
  const holder = randomUUID()
  const closing = new AbortController()
  const results = createResults(db, holder, log)
  const runners = new Map<string, { webhook: WebhookAddress; runner: Runner }>()
  const throttle = createThrottle({ load: options.load, webhooks: () => runners.size })
  const deps: RunnerDeps = { ...options, results, throttle, slots: { free: SLOTS } }
  const starting = new Map<string, Promise<void>>()
  const releasing = new Map<string, Promise<unknown>>()
  const finishing = new Set<Promise<void>>()

  const wake = (webhookId: string, isChanged?: boolean): boolean => {
    const held = runners.get(webhookId)
    held?.runner.wake(isChanged)
    return held !== undefined
  }

  const start = async (webhook: WebhookAddress, wasNotified = false): Promise<void> => {
    const { webhookId } = webhook
    if (closing.signal.aborted || wake(webhookId, wasNotified)) return
    let pending = starting.get(webhookId)
    if (pending === undefined) {
      pending = takeAndRun(webhook, wasNotified).finally(() => starting.delete(webhookId))
      starting.set(webhookId, pending)
    }
    await pending
  }

  const kick = (webhook: WebhookAddress, wasNotified?: boolean): void => {
    start(webhook, wasNotified).catch((error: unknown) =>
      log.debug({ err: error, ...webhook }, 'could not start sending to a webhook; a job will try again'),
    )
  }

  const takeAndRun = async (webhook: WebhookAddress, wasNotified: boolean): Promise<void> => {
    // A release may be in progress. A hold belongs to the process, so a late release would end the next runner's hold.
    await releasing.get(webhook.webhookId)?.catch(() => {})
    const health = await takeOrNotify(db, webhook, { holder, wasNotified })
    if (health === undefined) return
    const runner = startRunner(deps, webhook, health)
    runners.set(webhook.webhookId, { webhook, runner })
    const finished = runner.ended
      .then((end) => finish(webhook, end))
      .catch((error: unknown) =>
        log.debug({ err: error, ...webhook }, 'could not release the lock on a webhook or start sending again'),
      )
    finishing.add(finished)
    void finished.finally(() => finishing.delete(finished))
  }

  const finish = async (webhook: WebhookAddress, { restFor, isWoken }: RunnerEnd): Promise<void> => {
    const { webhookId } = webhook
    const released = release(db, webhook, { holder, restFor: isWoken ? 0 : restFor })
    releasing.set(webhookId, released)
    runners.delete(webhookId)
    const wasHeld = await released.finally(() => releasing.delete(webhookId))
    if (!wasHeld || closing.signal.aborted) return
    // If a delivery was created during the release, the release may have replaced that delivery's job.
    const seconds = restFor === 0 ? await secondsUntilDue(db, webhook) : undefined
    if (isWoken || (seconds !== undefined && seconds <= 0)) await start(webhook)
  }

  const renewAll = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await sleep(RENEW_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      for (const [accountId, held] of Map.groupBy(runners.values(), ({ webhook }) => webhook.accountId)) {
        const webhookIds = held.map(({ webhook }) => webhook.webhookId)
        const renewed = await renewHolds(db, accountId, { holder, webhookIds }).catch(() => undefined)
        if (renewed === undefined) continue
        const stillHeld = new Set(renewed)
        for (const { webhook, runner } of held) if (!stillHeld.has(webhook.webhookId)) runner.stop(0)
      }
    }
  }
  const held = renewAll()

  return {
    start,
    kick,
    notify: (webhook) => kick(webhook, true),
    isSending: ({ webhookId }) => runners.has(webhookId),
    async close() {
      closing.abort()
      await held
      await Promise.allSettled(starting.values())
      for (const { runner } of runners.values()) runner.stop(STOP_MS)
      await Promise.all([...runners.values()].map(({ runner }) => runner.ended))
      await results.close()
      await Promise.all(finishing)
    },
  }
}

/**
 * Takes the hold on the webhook, and adds a job that resumes sending if this process ends. Returns the receiver's
 * health. If another process holds the webhook, adds a job for the time when the hold ends and, unless `wasNotified` is
 * set, notifies that process. Returns undefined if another process holds the webhook or if the webhook was deleted.
 */
async function takeOrNotify(
  db: Database,
  webhook: WebhookAddress,
  { holder, wasNotified }: { holder: string; wasNotified: boolean },
): Promise<Health | undefined> {
  const watch = (delay: number) => ({ key: deliverKey(webhook.webhookId), payload: webhook, delay })
  return db.transaction().execute(async (transaction) => {
    const health = await takeHold(transaction, webhook, holder)
    if (health !== undefined) {
      await putJobs(transaction, deliverJob, [watch(WATCH_SECONDS)])
      return health
    }
    const heldFor = await findHoldEnd(transaction, webhook)
    if (heldFor === undefined) return undefined
    // If a notification caused this call, every process receives that notification.
    if (!wasNotified) await notifyWebhook(transaction, webhook)
    await putJobs(transaction, deliverJob, [watch(heldFor + 1)])
    return undefined
  })
}

async function release(
  db: Database,
  webhook: WebhookAddress,
  { holder, restFor }: { holder: string; restFor: number | null },
): Promise<boolean> {
  const key = deliverKey(webhook.webhookId)
  return db.transaction().execute(async (transaction) => {
    if (!(await releaseHold(transaction, webhook, holder))) return false
    const seconds = restFor === null ? undefined : await secondsUntilDue(transaction, webhook)
    if (seconds === undefined) await removeJob(transaction, key)
    else await putJobs(transaction, deliverJob, [{ key, payload: webhook, delay: Math.max(seconds, restFor ?? 0, 0) }])
    return true
  })
}
