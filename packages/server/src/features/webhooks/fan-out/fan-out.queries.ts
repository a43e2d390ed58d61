import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import type { DeliverableEvent } from './event-body.ts'

export async function readCursor(db: Database): Promise<bigint> {
  const { rows } = await sql<{
    id: string
  }>`select coalesce(position, event_id)::text as id from webhook_cursor`.execute(db)
  return BigInt(rows[0]!.id)
}

/** Moves the cursor and locks it until the transaction ends. Returns false if another process has already moved it. */
export async function moveCursor(db: Database, { from, to }: { from: bigint; to: bigint }): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_cursor set position = case when position is not null then ${to}::bigint end,
      event_id = case when position is null then ${to}::bigint else event_id end
    where coalesce(position, event_id) = ${from}::bigint`.execute(db)
  return numAffectedRows > 0n
}

/**
 * Hides the cursor from servers of the previous release, which would ignore a webhook's filter and deliver every event
 * to the webhook. To these servers, the cursor is after all events, so they create no deliveries.
 */
export async function hideCursor(db: Database): Promise<void> {
  await sql`
    update webhook_cursor set position = event_id, event_id = 9223372036854775807 where position is null`.execute(db)
}

export interface OwedEvent extends DeliverableEvent {
  accountId: string
  email: string
  webhookIds: string[]
  /** The IDs of the webhooks that receive the event only if the event's device matches their filters and views. */
  filteringIds: string[]
}

export interface Owed {
  events: OwedEvent[]
  /**
   * The ID up to which events were selected. This ID is lower than requested if the deliveries would be too large for
   * one transaction.
   */
  upTo: bigint
}

/**
 * The approximate maximum size, in bytes, of the deliveries in one transaction. The event that crosses the limit is the
 * last event selected, so at least one event is always selected.
 */
const MAX_BYTES = 4 * 1024 * 1024
/** The approximate size of a delivery without the event's data, in bytes. */
const FIXED_BYTES = 1_000

/**
 * Selects the events that webhooks must receive, or whose devices must be compared with the filters and views of
 * webhooks. A webhook does not receive events that are older than the webhook.
 */
export async function selectOwed(db: Database, { after, upTo }: { after: bigint; upTo: bigint }): Promise<Owed> {
  const { rows } = await sql<OwedEvent & { hasNext: boolean }>`
    select number::text as id, type, "timestamp", actor_id as "actorId", source, device_id as "deviceId", targets, state, data, account_id as "accountId", email, actor_email as "actorEmail",
      webhook_ids as "webhookIds", filtering_ids as "filteringIds", has_next as "hasNext"
    from (
      select event.id + 0 as number, event.type, event."timestamp", event.actor_id, event.source, event.device_id, event.targets, event.state,
        case when cardinality(asking.webhook_ids) > 0 then event.data else '{}' end as data,
        event.account_id, coalesce(account.contact_email, account.email) as email,
        (select person.email from person where person.id = event.actor_id) as actor_email, asking.webhook_ids, asking.filtering_ids,
        sum((octet_length(event.data::text) + ${sql.lit(FIXED_BYTES)}) * cardinality(asking.webhook_ids))
          over (log rows between unbounded preceding and 1 preceding) as bytes_before,
        lead(true, 1, false) over log as has_next
      from event
      cross join lateral (
        select coalesce(array_agg(webhook.id) filter (where not is_filtering), '{}') as webhook_ids,
          coalesce(array_agg(webhook.id) filter (where is_filtering), '{}') as filtering_ids
        from webhook
        cross join lateral (select webhook.filter is not null or webhook.view_id is not null) as each (is_filtering)
        where webhook.account_id = event.account_id and webhook.enabled and event.type = any(webhook.events)
          and webhook.created <= event."timestamp" and (event.device_id is not null or not is_filtering)
        having count(*) > 0
      ) as asking
      join account on account.id = event.account_id
      where event.id + 0 > ${after}::bigint and event.id + 0 <= ${upTo}::bigint
      window log as (order by event.id + 0)
    ) as owed
    where bytes_before is null or bytes_before < ${sql.lit(MAX_BYTES)}
    order by number`.execute(db)
  const events = rows.map(({ hasNext: _, ...event }) => event)
  const last = rows.at(-1)
  return { events, upTo: last?.hasNext ? BigInt(last.id) : upTo }
}

/** Returns the age of the oldest event in the range, in seconds, or 0 if the range contains no events. */
export async function readOldestAge(db: Database, { after, upTo }: { after: bigint; upTo: bigint }): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select greatest(0, extract(epoch from statement_timestamp() - "timestamp"))::float8 as seconds from event
    where id + 0 > ${after}::bigint and id + 0 <= ${upTo}::bigint order by id + 0 limit 1`.execute(db)
  return rows[0]?.seconds ?? 0
}

export interface NewDelivery extends WebhookAddress {
  id: string
  eventId: string
  body: string
}

/** Saves deliveries, which are due immediately. Skips webhooks that have been deleted. */
export async function insertDeliveries(db: Database, deliveries: readonly NewDelivery[]): Promise<void> {
  const column = <Name extends keyof NewDelivery>(name: Name) => deliveries.map((delivery) => delivery[name])
  // Several webhooks can need the same body, so each event's body is sent to the database only once.
  const bodies = new Map(deliveries.map(({ eventId, body }) => [eventId, body]))
  await sql`
    insert into webhook_delivery (account_id, webhook_id, id, event_id, body, next_attempt)
    select row.account_id, row.webhook_id, row.id, row.event_id, event.body, statement_timestamp()
    from unnest(${column('accountId')}::text[], ${column('webhookId')}::text[], ${column('id')}::text[],
      ${column('eventId')}::bigint[]) as row (account_id, webhook_id, id, event_id)
    join unnest(${[...bodies.keys()]}::bigint[], ${[...bodies.values()]}::text[]) as event (event_id, body)
      on event.event_id = row.event_id
    join webhook on webhook.account_id = row.account_id and webhook.id = row.webhook_id`.execute(db)
}
