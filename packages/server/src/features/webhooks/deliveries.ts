import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { ApiError, badInput, notFound } from '../../errors.ts'
import { assertStorable } from '../../lib/string-checks.ts'
import type { MutationRedeliverArgs } from '../../resolvers.generated.ts'
import { deleteCandidatesBefore } from './candidates.queries.ts'
import { deleteDeliveriesBefore, restartDelivery, restartFailed } from './deliveries.queries.ts'
import type { Webhook } from './webhook.ts'
import { lockWebhook } from './webhooks.queries.ts'
import { notifyWorkers } from './webhooks.ts'

const RETENTION_DAYS = 30
const DELETION_BATCH = 5_000

/**
 * Schedules deliveries to be sent again: either one delivery, even if it succeeded, or all failed deliveries that were
 * created since a given time. Returns the number of deliveries. Throws these errors:
 *
 * - BAD_USER_INPUT unless exactly one of `deliveryId` and `since` is set
 * - NOT_FOUND if the webhook or the delivery does not exist
 * - CONFLICT if the webhook is disabled or paused
 */
export async function redeliver({ db, viewer }: Context, args: MutationRedeliverArgs): Promise<number> {
  const { webhookId, deliveryId, since } = args
  assertStorable(webhookId, 'webhookId')
  if (deliveryId != null) assertStorable(deliveryId, 'deliveryId')
  if ((deliveryId == null) === (since == null))
    throw badInput('pass either deliveryId (one delivery) or since (all failed deliveries created since that time)')

  return db.transaction().execute(async (transaction) => {
    const webhook = await lockWebhook(transaction, viewer.accountId, webhookId)
    if (webhook === undefined) throw notFound('webhook', webhookId)
    assertSending(webhook)
    const count =
      deliveryId == null
        ? await restartFailed(transaction, viewer.accountId, { webhookId, since: since! })
        : await restartDelivery(transaction, viewer.accountId, { webhookId, id: deliveryId })
    if (deliveryId != null && count === 0) throw notFound('delivery', deliveryId)
    await notifyWorkers({ db: transaction, viewer }, webhookId)
    return count
  })
}

function assertSending({ enabled, paused }: Webhook): void {
  if (enabled && paused === null) return
  const state = enabled ? 'paused' : 'disabled'
  throw new ApiError('CONFLICT', `the webhook is ${state}: update it with enabled: true first`)
}

/** Deletes deliveries and pending events after 30 days, including deliveries that were never attempted. */
export async function dropOldDeliveries(db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - RETENTION_DAYS * 86_400_000)
  while ((await deleteDeliveriesBefore(db, { before, limit: DELETION_BATCH })) === DELETION_BATCH);
  while ((await deleteCandidatesBefore(db, { before, limit: DELETION_BATCH })) === DELETION_BATCH);
}
