import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { WebhookAddress } from '../webhook-channel.ts'

/** The number of seconds after which a hold ends unless the holder renews it. */
export const HOLD_SECONDS = 10

export interface Health {
  failures: number
  /** The number of seconds until the next attempt is allowed. Null unless the last 10 attempts failed. */
  probeIn: number | null
}

/**
 * Takes the hold and returns the receiver's health. Returns undefined if another process holds the webhook, or if the
 * webhook was deleted.
 */
export async function takeHold(db: Database, { accountId, webhookId }: WebhookAddress, holder: string) {
  // A cluster rejects the current time in `returning`, so the statement derives that time from the new `held_until`.
  const { rows } = await sql<Health>`
    update webhook_sending
    set holder = ${holder}, held_until = statement_timestamp() + make_interval(secs => ${HOLD_SECONDS})
    where account_id = ${accountId} and webhook_id = ${webhookId}
      and (holder is null or holder = ${holder} or held_until < statement_timestamp())
    returning failures, ${HOLD_SECONDS}::int + extract(epoch from probe_at - held_until)::float8 as "probeIn"`.execute(
    db,
  )
  return rows[0]
}

/** Returns the number of seconds until the hold ends, or undefined if no process holds the webhook. */
export async function findHoldEnd(db: Database, { accountId, webhookId }: WebhookAddress): Promise<number | undefined> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from held_until - clock_timestamp())::float8 as seconds from webhook_sending
    where account_id = ${accountId} and webhook_id = ${webhookId} and holder is not null`.execute(db)
  return rows[0] && Math.max(0, rows[0].seconds)
}

/** Renews the holds of `holder`, and returns the IDs of the webhooks that `holder` still holds. */
export async function renewHolds(
  db: Database,
  accountId: string,
  { holder, webhookIds }: { holder: string; webhookIds: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with held as materialized (
      select webhook_id from webhook_sending
      where account_id = ${accountId} and webhook_id = any(${webhookIds}::text[]) and holder = ${holder}
      order by webhook_id for update
    )
    update webhook_sending as sending
    set held_until = statement_timestamp() + make_interval(secs => ${HOLD_SECONDS})
    from held where sending.account_id = ${accountId} and sending.webhook_id = held.webhook_id
    returning sending.webhook_id as id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns false if `holder` no longer holds the webhook, for example because another process has taken it over. */
export async function releaseHold(
  db: Database,
  { accountId, webhookId }: WebhookAddress,
  holder: string,
): Promise<boolean> {
  const { rows } = await sql`
    update webhook_sending set holder = null, held_until = null
    where account_id = ${accountId} and webhook_id = ${webhookId} and holder = ${holder}
    returning webhook_id`.execute(db)
  return rows.length > 0
}

export interface DueDelivery {
  id: string
  body: string
  /** The number of attempts since the delivery was created or redelivered. */
  tries: number
}

export interface Due {
  deliveries: DueDelivery[]
  mayHaveMore: boolean
}

/** The maximum size, in bytes, of the bodies of the deliveries in one read, not counting the last delivery. */
const MAX_BYTES = 1024 * 1024

/**
 * Selects up to `limit` due deliveries whose IDs are not in `except`. If the deliveries exceed `MAX_BYTES`, selects
 * only the first of them.
 */
export async function selectDue(
  db: Database,
  { accountId, webhookId }: WebhookAddress,
  { except, limit }: { except: readonly string[]; limit: number },
): Promise<Due> {
  const { rows } = await sql<DueDelivery & { hasNext: boolean }>`
    select id, body, tries, has_next as "hasNext" from (
      select id, body, tries, next_attempt, lead(true, 1, false) over log as has_next,
        sum(octet_length(body)) over (log rows between unbounded preceding and 1 preceding) as bytes_before
      from (
        select id, body, tries, next_attempt from webhook_delivery
        where account_id = ${accountId} and webhook_id = ${webhookId} and status = 'pending'
          and next_attempt <= clock_timestamp() and id <> all(${except}::text[])
        order by next_attempt limit ${limit}
      ) as due window log as (order by next_attempt)
    ) as due
    where bytes_before is null or bytes_before < ${sql.lit(MAX_BYTES)}
    order by next_attempt`.execute(db)
  return {
    deliveries: rows.map(({ id, body, tries }) => ({ id, body, tries })),
    mayHaveMore: rows.length === limit || rows.at(-1)?.hasNext === true,
  }
}

/**
 * Returns the number of seconds until the next pending delivery is due, which is 0 or less if one is already due.
 * Returns undefined if no delivery is pending.
 */
export async function secondsUntilDue(
  db: Database,
  { accountId, webhookId }: WebhookAddress,
): Promise<number | undefined> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from min(next_attempt) - clock_timestamp())::float8 as seconds from webhook_delivery
    where account_id = ${accountId} and webhook_id = ${webhookId} and status = 'pending'`.execute(db)
  return rows[0]?.seconds ?? undefined
}

export async function selectNeglected(db: Database): Promise<WebhookAddress[]> {
  const { rows } = await sql<WebhookAddress>`
    select sending.account_id as "accountId", sending.webhook_id as "webhookId" from webhook_sending as sending
    join webhook on webhook.account_id = sending.account_id and webhook.id = sending.webhook_id
      and webhook.enabled and webhook.paused is null
    where (held_until is null or held_until < clock_timestamp()) and (probe_at is null or probe_at < clock_timestamp())
      and exists (select from webhook_delivery as delivery
        where delivery.account_id = sending.account_id and delivery.webhook_id = sending.webhook_id
          and status = 'pending' and next_attempt < clock_timestamp() - interval '15 seconds')
    limit 1000`.execute(db)
  return rows
}
