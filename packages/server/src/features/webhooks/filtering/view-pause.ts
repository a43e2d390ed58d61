import type { Database } from '../../../db/database.ts'
import type { ApiError } from '../../../errors.ts'
import { fieldChanges, recordEvents } from '../../events/record.ts'
import { serverViewer, webhookTarget } from '../webhook.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import { lockWebhook, notifyWebhook, writeWebhook } from '../webhooks.queries.ts'

/** Pauses a webhook whose view is invalid, unless the webhook is already paused. The webhook's events stay pending. */
export async function pauseForView(
  db: Database,
  { accountId, webhookId }: WebhookAddress,
  problem: ApiError,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const before = await lockWebhook(transaction, accountId, webhookId)
    if (before === undefined || before.paused !== null) return
    const paused = `${problem.message.replace(/\.$/, '')}: deliveries wait until you correct the view, or change the webhook's where or view`
    const after = { ...before, paused, isViewBroken: true }
    await writeWebhook(transaction, accountId, after)
    const event = { type: 'WEBHOOK_PAUSE' as const, targets: [webhookTarget(after)], data: { paused } }
    await recordEvents(transaction, { viewer: serverViewer(accountId) }, [event])
  })
}

export async function endViewPause(db: Database, webhook: WebhookAddress): Promise<void> {
  const { accountId, webhookId } = webhook
  await db.transaction().execute(async (transaction) => {
    const before = await lockWebhook(transaction, accountId, webhookId)
    if (before === undefined || !before.isViewBroken) return
    const after = { ...before, paused: null, isViewBroken: false }
    await writeWebhook(transaction, accountId, after)
    const changes = fieldChanges({ paused: before.paused }, { paused: after.paused })
    if (changes !== undefined) {
      const event = { type: 'WEBHOOK_UPDATE' as const, targets: [webhookTarget(after)], data: { changes } }
      await recordEvents(transaction, { viewer: serverViewer(accountId) }, [event])
    }
    await notifyWebhook(transaction, webhook)
  })
}
