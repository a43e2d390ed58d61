import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { WebhookDelivery } from './webhook.ts'

const columns = sql.raw(`delivery.id, delivery.webhook_id as "webhookId", event_id::text as "eventId", attempts, status,
  http_status as "httpStatus", duration, error, body as request, response, delivery.created, next_attempt as "nextAttempt"`)

export interface DeliverySlice {
  failed: boolean | undefined
  start: { offset: number } | { afterId: string }
  limit: number
}

const ofState = (failed: boolean | undefined): RawBuilder<unknown> =>
  failed === undefined ? sql`true` : failed ? sql`status = 'failed'` : sql`status <> 'failed'`

export async function selectDeliveries(
  db: Database,
  accountId: string,
  { webhookIds, slice }: { webhookIds: readonly string[]; slice: DeliverySlice },
): Promise<WebhookDelivery[]> {
  const { failed, start, limit } = slice
  const isAfterStart = 'afterId' in start ? sql`delivery.id < ${start.afterId}` : sql`true`
  const { rows } = await sql<WebhookDelivery>`
    select found.* from unnest(${webhookIds}::text[]) as webhook (id)
    cross join lateral (
      select ${columns} from webhook_delivery as delivery
      where account_id = ${accountId} and webhook_id = webhook.id and ${ofState(failed)} and ${isAfterStart}
      order by delivery.id desc limit ${limit} offset ${'offset' in start ? start.offset : 0}
    ) as found`.execute(db)
  return rows
}

/** Returns the counts, keyed by webhook ID. Omits webhooks without matching deliveries. */
export async function countDeliveries(
  db: Database,
  accountId: string,
  { webhookIds, failed }: { webhookIds: readonly string[]; failed: boolean | undefined },
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    select webhook_id as id, count(*)::int as count from webhook_delivery
    where account_id = ${accountId} and webhook_id = any(${webhookIds}::text[]) and ${ofState(failed)}
    group by webhook_id`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** Returns the IDs of the webhooks in `webhookIds` that have a delivery with this ID. */
export async function selectOwners(
  db: Database,
  accountId: string,
  { webhookIds, id }: { webhookIds: readonly string[]; id: string },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select webhook_id as id from webhook_delivery
    where account_id = ${accountId} and webhook_id = any(${webhookIds}::text[]) and id = ${id}`.execute(db)
  return rows.map((row) => row.id)
}

export interface FinishedDelivery {
  webhookId: string
  id: string
  body: string
  status: 'delivered' | 'failed'
  httpStatus: number | null
  duration: number
  error: string | null
  response: string | null
}

/** Saves a delivery that has been attempted once and will not be retried. */
export async function insertFinished(
  db: Database,
  accountId: string,
  delivery: FinishedDelivery,
): Promise<WebhookDelivery> {
  const { webhookId, id, body, status, httpStatus, duration, error, response } = delivery
  const { rows } = await sql<WebhookDelivery>`
    insert into webhook_delivery as delivery
      (account_id, webhook_id, id, body, status, attempts, tries, http_status, duration, error, response)
    values (${accountId}, ${webhookId}, ${id}, ${body}, ${status}, 1, 1, ${httpStatus}, ${duration}, ${error}, ${response})
    returning ${columns}`.execute(db)
  return rows[0]!
}

/** Makes a delivery due again, regardless of its status. Returns 0 if the delivery does not exist, and 1 otherwise. */
export async function restartDelivery(
  db: Database,
  accountId: string,
  { webhookId, id }: { webhookId: string; id: string },
): Promise<number> {
  const { rows } = await sql`
    update webhook_delivery set status = 'pending', tries = 0, next_attempt = statement_timestamp()
    where account_id = ${accountId} and webhook_id = ${webhookId} and id = ${id} returning id`.execute(db)
  return rows.length
}

export async function restartFailed(
  db: Database,
  accountId: string,
  { webhookId, since }: { webhookId: string; since: Date },
): Promise<number> {
  const { rows } = await sql`
    with failed as materialized (
      select id from webhook_delivery
      where account_id = ${accountId} and webhook_id = ${webhookId} and status = 'failed' and created >= ${since}
      order by id for update
    )
    update webhook_delivery as delivery set status = 'pending', tries = 0, next_attempt = statement_timestamp()
    from failed
    where account_id = ${accountId} and webhook_id = ${webhookId} and delivery.id = failed.id
    returning delivery.id`.execute(db)
  return rows.length
}

export async function deleteDeliveriesBefore(
  db: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rows } = await sql`
    delete from webhook_delivery where (account_id, webhook_id, id) in (
      select account_id, webhook_id, id from webhook_delivery where created < ${before} order by created limit ${limit})
    returning id`.execute(db)
  return rows.length
}
