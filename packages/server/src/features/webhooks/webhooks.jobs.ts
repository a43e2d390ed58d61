import { defineChore, defineJob } from '../../jobs/job.ts'
import type { WebhookAddress } from './webhook-channel.ts'

/** Sees to it that what is due for a webhook is being sent. */
export const deliverJob = defineJob<WebhookAddress>({
  name: 'webhooks.deliver',
  parse(payload) {
    const { accountId, webhookId } = Object(payload) as Record<string, unknown>
    if (typeof accountId !== 'string' || typeof webhookId !== 'string') throw new Error('no webhook is named')
    return { accountId, webhookId }
  },
})

export const deliverKey = (webhookId: string): string => `webhook ${webhookId}`

/** Finds what is due and nobody sends: a safety net, for what no job or message says. */
export const sweepJob = defineChore('webhooks.sweep')

/** Drops deliveries that are no longer kept. */
export const dropDeliveriesJob = defineChore('webhooks.drop-deliveries')
