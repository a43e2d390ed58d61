import type { Database } from '../../../db/database.ts'
import { putJobs } from '../../../jobs/queue.queries.ts'
import { newMessageId } from '../signed-message.ts'
import { distinctWebhooks, type WebhookAddress } from '../webhook-channel.ts'
import { deliverJob, deliverKey } from '../webhooks.jobs.ts'
import { eventBody } from './event-body.ts'
import { insertDeliveries, type NewDelivery, type OwedEvent } from './fan-out.queries.ts'

export type DeliveredEvent = Omit<OwedEvent, 'filteringIds'>

/**
 * How long, in seconds, a job waits before it starts sending new deliveries. By then, this process has usually sent
 * them, unless the process has exited.
 */
const FALLBACK_SECONDS = 5

/**
 * Saves deliveries. For each webhook whose deliveries this process is not already sending, also adds a job that starts
 * sending them. Returns the webhooks that have new deliveries. `db` must be a transaction.
 */
export async function saveDeliveries(
  db: Database,
  events: readonly DeliveredEvent[],
  isSending: (webhook: WebhookAddress) => boolean,
): Promise<WebhookAddress[]> {
  const deliveries = events.flatMap(deliveriesOf)
  if (deliveries.length === 0) return []
  const webhooks = distinctWebhooks(deliveries)
  const jobs = webhooks
    .filter((webhook) => !isSending(webhook))
    .map((webhook) => ({ key: deliverKey(webhook.webhookId), payload: webhook, delay: FALLBACK_SECONDS }))
  await insertDeliveries(db, deliveries)
  await putJobs(db, deliverJob, jobs)
  return webhooks
}

/** Returns the deliveries of an event. All webhooks receive the same body, each with a different message ID. */
function deliveriesOf({ accountId, email, webhookIds, ...event }: DeliveredEvent): NewDelivery[] {
  if (webhookIds.length === 0) return []
  const body = eventBody(event, { id: accountId, email })
  return webhookIds.map((webhookId) => ({ accountId, webhookId, id: newMessageId(), eventId: event.id, body }))
}
