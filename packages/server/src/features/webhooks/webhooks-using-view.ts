import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { fieldChanges, recordEvents } from '../events/record.ts'
import { viewsInUse, withOtherView } from '../views/views-in-use.ts'
import { type Webhook, webhookTarget } from './webhook.ts'
import { lockWebhook, selectWebhooks, writeWebhook } from './webhooks.queries.ts'

export async function listWebhooksWithViews(
  db: Database,
  accountId: string,
): Promise<{ webhook: Webhook; viewIds: ReadonlySet<string> }[]> {
  const webhooks = (await selectWebhooks(db, accountId)).map((webhook) => ({ webhook, viewIds: viewsInUse(webhook) }))
  return webhooks.filter(({ viewIds }) => viewIds.size > 0)
}

/**
 * Replaces the view `from` with the view `to` in all webhooks that use `from`, and records an event for each of these
 * webhooks. `db` must be a transaction that has locked the account.
 */
export async function replaceViewOfWebhooks(
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  { from, to }: { from: string; to: string },
): Promise<void> {
  for (const { webhook: listed, viewIds } of await listWebhooksWithViews(db, viewer.accountId)) {
    // Without the lock, a concurrent change that does not lock the account, such as a pause, would be lost.
    const webhook = viewIds.has(from) ? await lockWebhook(db, viewer.accountId, listed.id) : undefined
    if (webhook === undefined) continue
    const after = {
      ...webhook,
      viewId: webhook.viewId === from ? to : webhook.viewId,
      where: webhook.where === null ? null : withOtherView(webhook.where, { from, to }),
    }
    await writeWebhook(db, viewer.accountId, after)
    const changes = fieldChanges(settings(webhook), settings(after))
    await recordEvents(db, { viewer }, [{ type: 'WEBHOOK_UPDATE', targets: [webhookTarget(after)], data: { changes } }])
  }
}

const settings = ({ where, viewId }: Webhook) => ({ where, view: viewId })
