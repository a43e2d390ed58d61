import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import { fieldChanges, recordEvents } from '../events/record.ts'
import { storedFilter } from '../judging/device-selection.ts'
import { viewsIn } from '../views/apply-view.ts'
import { type Webhook, webhookTarget } from './webhook.ts'
import { lockWebhook, selectWebhooks, writeWebhook } from './webhooks.queries.ts'

export async function listWebhooksWithViews(
  db: Database,
  accountId: string,
): Promise<{ webhook: Webhook; viewIds: ReadonlySet<string> }[]> {
  const webhooks = (await selectWebhooks(db, accountId)).map((webhook) => ({ webhook, viewIds: viewsOf(webhook) }))
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
    // The lock keeps concurrent changes that do not lock the account, such as a pause.
    const webhook = viewIds.has(from) ? await lockWebhook(db, viewer.accountId, listed.id) : undefined
    if (webhook === undefined) continue
    const after = {
      ...webhook,
      viewId: webhook.viewId === from ? to : webhook.viewId,
      where: replaced(webhook, from, to),
    }
    await writeWebhook(db, viewer.accountId, after)
    const changes = fieldChanges(settings(webhook), settings(after))
    await recordEvents(db, { viewer }, [{ type: 'WEBHOOK_UPDATE', targets: [webhookTarget(after)], data: { changes } }])
  }
}

const settings = ({ where, viewId }: Webhook) => ({ where, view: viewId })

/**
 * Replaces a view in a filter. In canonical form, quotation marks inside strings are escaped with a backslash, so no
 * string can contain `view("id")`.
 */
const replaced = ({ where }: Webhook, from: string, to: string): string | null =>
  where === null ? null : where.replaceAll(`view("${from}")`, () => `view("${to}")`)

function viewsOf(webhook: Webhook): Set<string> {
  const ids = new Set(webhook.viewId === null ? [] : [webhook.viewId])
  try {
    const filter = storedFilter(webhook)?.filter
    if (filter !== undefined) for (const id of viewsIn(filter)) ids.add(id)
  } catch (error) {
    // A restored backup may contain an invalid filter. This function treats it as a filter without views.
    if (!(error instanceof ApiError)) throw error
  }
  return ids
}
