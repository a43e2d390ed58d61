import { type Selectable, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Webhook as WebhookTable } from '../../db/tables.generated.ts'
import type { EventTypeName } from '../events/event-types.ts'
import type { Webhook } from './webhook.ts'
import { formatAddress, type WebhookAddress, webhookChannel } from './webhook-channel.ts'

const columns = [
  ...(['id', 'name', 'url', 'events', 'enabled', 'paused', 'created'] as const),
  ...(['filter', 'view_id', 'context', 'is_view_broken'] as const),
] as const

type WebhookRow = Pick<Selectable<WebhookTable>, (typeof columns)[number]> & { failing: string | null }

const toWebhook = ({ events, filter, view_id, is_view_broken, ...row }: WebhookRow): Webhook => ({
  ...row,
  events: events as EventTypeName[],
  where: filter,
  viewId: view_id,
  isViewBroken: is_view_broken,
})

const failing = (accountId: string) => sql<string | null>`(
  select 'the last ' || failures || ' attempts failed: at most one attempt a minute until an attempt succeeds'
  from webhook_sending as sending where sending.account_id = ${accountId} and sending.webhook_id = webhook.id
    and probe_at is not null and webhook.enabled)`

const fromWebhooks = (db: Database, accountId: string) =>
  db.selectFrom('webhook').select(columns).select(failing(accountId).as('failing')).where('account_id', '=', accountId)

/** Selects the webhooks, newest first. */
export async function selectWebhooks(db: Database, accountId: string): Promise<Webhook[]> {
  const rows = await fromWebhooks(db, accountId).orderBy('created', 'desc').orderBy('id').execute()
  return rows.map(toWebhook)
}

export async function countWebhookRows(db: Database, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhook')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export interface NewWebhook
  extends Pick<Webhook, 'id' | 'name' | 'url' | 'events' | 'enabled' | 'where' | 'viewId' | 'context'> {
  encryptedSecret: Buffer
}

export async function insertWebhook(db: Database, accountId: string, webhook: NewWebhook): Promise<Webhook> {
  const { encryptedSecret, where, viewId, ...fields } = webhook
  const row = await db
    .insertInto('webhook')
    .values({ account_id: accountId, ...fields, filter: where, view_id: viewId, encrypted_secret: encryptedSecret })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return toWebhook({ ...row, failing: null })
}

export async function insertSending(db: Database, accountId: string, webhookId: string): Promise<void> {
  await db.insertInto('webhook_sending').values({ account_id: accountId, webhook_id: webhookId }).execute()
}

export async function findWebhookRow(db: Database, accountId: string, id: string): Promise<Webhook | undefined> {
  const row = await fromWebhooks(db, accountId).where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : toWebhook(row)
}

export async function lockWebhook(db: Database, accountId: string, id: string): Promise<Webhook | undefined> {
  const row = await fromWebhooks(db, accountId).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
  return row === undefined ? undefined : toWebhook(row)
}

export async function writeWebhook(db: Database, accountId: string, webhook: Webhook): Promise<void> {
  const { id, name, url, events, enabled, paused, where, viewId, context, isViewBroken } = webhook
  await db
    .updateTable('webhook')
    .set({ name, url, events, enabled, paused, filter: where, view_id: viewId, context, is_view_broken: isViewBroken })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Resets the receiver's failures, so sending can resume immediately. */
export async function resetSending(db: Database, accountId: string, webhookId: string): Promise<void> {
  await db
    .updateTable('webhook_sending')
    .set({ failures: 0, failing_since: null, probe_at: null })
    .where('account_id', '=', accountId)
    .where('webhook_id', '=', webhookId)
    .execute()
}

export async function removeWebhook(db: Database, accountId: string, id: string): Promise<Webhook | undefined> {
  const row = await db
    .deleteFrom('webhook')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
  return row === undefined ? undefined : toWebhook({ ...row, failing: null })
}

/** Replaces the secret. The current secret becomes the previous secret, which remains valid until the given time. */
export async function replaceSecret(
  db: Database,
  accountId: string,
  { id, secret, formerUntil }: { id: string; secret: Buffer; formerUntil: Date },
): Promise<void> {
  await db
    .updateTable('webhook')
    .set(({ ref }) => ({
      former_secret: ref('encrypted_secret'),
      former_secret_until: formerUntil,
      encrypted_secret: secret,
    }))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

export interface SendableRow {
  url: string
  enabled: boolean
  paused: string | null
  encryptedSecret: Buffer
  formerSecret: Buffer | null
  formerSecretUntil: Date | null
}

export async function findSendable(db: Database, accountId: string, id: string): Promise<SendableRow | undefined> {
  return db
    .selectFrom('webhook')
    .select([
      'url',
      'enabled',
      'paused',
      'encrypted_secret as encryptedSecret',
      'former_secret as formerSecret',
      'former_secret_until as formerSecretUntil',
    ])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** When the transaction commits, notifies all workers that the webhook has changed or may have deliveries to send. */
export async function notifyWebhook(db: Database, webhook: WebhookAddress): Promise<void> {
  await sql`select pg_notify(${webhookChannel}, ${formatAddress(webhook)})`.execute(db)
}
