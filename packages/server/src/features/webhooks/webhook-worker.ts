import { earlierOf, readClocks } from '../../db/clocks.ts'
import type { Notifications } from '../../db/notifications.ts'
import { implementJob, type Job } from '../../jobs/job.ts'
import type { Metrics } from '../../metrics.ts'
import type { Feed } from '../events/feed/feed.ts'
import { dropOldDeliveries } from './deliveries.ts'
import { createFanOut } from './fan-out/fan-out-loop.ts'
import { createFilterer } from './filtering/filterer.ts'
import { createSender, type SenderOptions } from './sending/exclusive-sender.ts'
import { selectNeglected } from './sending/sending.queries.ts'
import { parseAddress, webhookChannel } from './webhook-channel.ts'
import { deliverJob, dropDeliveriesJob, sweepJob } from './webhooks.jobs.ts'
import { measureDeliveries, measureFanOut } from './webhooks.metrics.ts'

export interface WebhookWorkerOptions extends Omit<SenderOptions, 'onAttempt'> {
  notifications: Pick<Notifications, 'subscribe'>
  feed: Pick<Feed, 'onAdvance' | 'position'>
  clock: () => Date
  metrics: Metrics
}

export interface WebhookWorker {
  jobs: Job[]
  /** Starts the fan-out and the filterer, and subscribes to notifications. The tables of the job queue must exist. */
  start(): void
  close(): Promise<void>
}

export function createWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  const { db, notifications, feed, load, log, clock, metrics } = options
  const sender = createSender({ ...options, onAttempt: measureDeliveries(metrics, db) })
  const closers: (() => Promise<void>)[] = [sender.close]

  const sweep = async (): Promise<void> => {
    for (const webhook of await selectNeglected(db)) sender.kick(webhook)
  }

  return {
    jobs: [
      implementJob(deliverJob, sender.start),
      implementJob(sweepJob, sweep),
      implementJob(dropDeliveriesJob, async () => dropOldDeliveries(db, earlierOf(await readClocks(db, clock())))),
    ],
    start() {
      const changes = notifications.subscribe({
        channel: webhookChannel,
        onNotification: ({ payload }) => sender.notify(parseAddress(payload)),
        onGap: () => void sweep().catch(() => {}),
      })
      const onCreated = (webhooks: Parameters<typeof sender.kick>[0][]): void => {
        for (const webhook of webhooks) sender.kick(webhook)
      }
      const { isSending } = sender
      const filterer = createFilterer({ db, log, isSending, onCreated })
      const fanOut = createFanOut({ db, feed, load, log, isSending, onCreated, onWaiting: filterer.kick })
      measureFanOut(metrics, fanOut)
      closers.push(async () => changes.close(), filterer.close, fanOut.close)
    },
    async close() {
      for (const close of closers.toReversed()) await close()
    },
  }
}
