import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import type { DeliverableEvent } from './event-body.ts'

/** Up to which number of the event log deliveries have been made. */
export async function readCursor(db: Database): Promise<bigint> {
  const { event_id } = await db.selectFrom('webhook_cursor').select('event_id').executeTakeFirstOrThrow()
  return BigInt(event_id)
}

/** Moves it on from where it was thought to be; false when another process has moved it. Held until the transaction ends. */
export async function moveCursor(db: Database, { from, to }: { from: bigint; to: bigint }): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_cursor')
    .set({ event_id: to })
    .where('event_id', '=', String(from))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** An event that webhooks ask for, once for each of them. */
export interface OwedEvent extends DeliverableEvent {
  accountId: string
  email: string
  webhookId: string
}

/** What of a range of the log is owed to webhooks that are enabled, in order. A webhook is owed nothing from before it was made. */
export async function selectOwed(db: Database, { after, upTo }: { after: bigint; upTo: bigint }): Promise<OwedEvent[]> {
  const { rows } = await sql<OwedEvent>`
    select event.id::text, event.type, event."timestamp", event.actor_id as "actorId", event.targets, event.state, event.data,
      event.account_id as "accountId", account.email, webhook.id as "webhookId"
    from event
    join webhook on webhook.account_id = event.account_id and webhook.enabled and event.type = any(webhook.events)
      and webhook.created <= event."timestamp"
    join account on account.id = event.account_id
    where event.id + 0 > ${after}::bigint and event.id + 0 <= ${upTo}::bigint
    order by event.id + 0`.execute(db)
  return rows
}

/** Seconds since the first event of a range; 0 where it holds none. */
export async function readOldestAge(db: Database, { after, upTo }: { after: bigint; upTo: bigint }): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select greatest(0, extract(epoch from clock_timestamp() - "timestamp"))::float8 as seconds from event
    where id + 0 > ${after}::bigint and id + 0 <= ${upTo}::bigint order by id + 0 limit 1`.execute(db)
  return rows[0]?.seconds ?? 0
}

export interface NewDelivery extends WebhookAddress {
  id: string
  eventId: string
  body: string
}

/** Due at once. Webhooks that were deleted meanwhile are left out, and those of this transaction stay till it ends. */
export async function insertDeliveries(db: Database, deliveries: readonly NewDelivery[]): Promise<void> {
  const column = <Name extends keyof NewDelivery>(name: Name) => deliveries.map((delivery) => delivery[name])
  await sql`
    with present as materialized (
      select account_id, id from webhook
      where (account_id, id) in (select * from unnest(${column('accountId')}::text[], ${column('webhookId')}::text[]))
      order by account_id, id for key share
    )
    insert into webhook_delivery (account_id, webhook_id, id, event_id, body, next_attempt)
    select account_id, webhook_id, row.id, event_id, body, clock_timestamp()
    from unnest(${column('accountId')}::text[], ${column('webhookId')}::text[], ${column('id')}::text[],
      ${column('eventId')}::bigint[], ${column('body')}::text[]) as row (account_id, webhook_id, id, event_id, body)
    where exists (select from present where present.account_id = row.account_id and present.id = row.webhook_id)`.execute(
    db,
  )
}
