import type { Database } from '../../../db/database.ts'
import { recordEvents } from '../../events/record.ts'
import { serverViewer, webhookTarget } from '../webhook.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import { lockWebhook, writeWebhook } from '../webhooks.queries.ts'

/** The number of days after which the server pauses a webhook whose attempts have all failed. */
export const DAYS_OF_FAILURES = 5

export interface Stop {
  reason: 'gone' | 'hopeless'
  url: URL
}

/**
 * Disables the webhook if the receiver responded with status 410. Pauses the webhook if all attempts have failed for
 * `DAYS_OF_FAILURES` days. Does not change a webhook that is already disabled or paused. Returns false and changes
 * nothing if the webhook was deleted or its URL has changed.
 */
export async function pauseOrDisable(
  db: Database,
  { accountId, webhookId }: WebhookAddress,
  { reason, url }: Stop,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const before = await lockWebhook(transaction, accountId, webhookId)
    if (before === undefined || new URL(before.url).href !== url.href) return false
    if (!before.enabled || before.paused !== null) return true
    const after = reason === 'gone' ? { ...before, enabled: false } : { ...before, paused: PAUSED }
    await writeWebhook(transaction, accountId, after)
    const event =
      reason === 'gone'
        ? { type: 'WEBHOOK_UPDATE' as const, data: { changes: { enabled: { old: true, new: false } } } }
        : { type: 'WEBHOOK_PAUSE' as const, data: { paused: PAUSED } }
    const viewer = serverViewer(accountId)
    await recordEvents(transaction, { viewer }, [{ ...event, targets: [webhookTarget(after)] }])
    return true
  })
}

const PAUSED = `all attempts failed for ${DAYS_OF_FAILURES} days`
