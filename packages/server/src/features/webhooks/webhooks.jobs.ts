import { defineChore, defineJob } from '../../jobs/job.ts'
import type { WebhookAddress } from './webhook-channel.ts'

export const deliverJob = defineJob<WebhookAddress>({
  name: 'webhooks.deliver',
  parse(payload) {
    const { accountId, webhookId } = Object(payload) as Record<string, unknown>
    if (typeof accountId !== 'string' || typeof webhookId !== 'string')
      throw new Error('the payload of webhooks.deliver must contain accountId and webhookId, both strings')
    return { accountId, webhookId }
  },
})

export const deliverKey = (webhookId: string): string => `webhook ${webhookId}`

/** Starts sending overdue deliveries that no process is sending, in case a job or notification was lost. */
export const sweepJob = defineChore('webhooks.sweep')

export const dropDeliveriesJob = defineChore('webhooks.drop-deliveries')
