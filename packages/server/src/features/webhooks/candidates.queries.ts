import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { EventTypeName } from '../events/event-types.ts'
import type { DeliverableEvent } from './fan-out/event-body.ts'
import type { WebhookAddress } from './webhook-channel.ts'

export interface FilteredEvent extends WebhookAddress {
  eventId: string
}

/** Saves pending events, to which no filter has been applied yet. Skips webhooks that have been deleted. */
export async function insertCandidates(db: Database, candidates: readonly FilteredEvent[]): Promise<void> {
  const column = <Name extends keyof FilteredEvent>(name: Name) => candidates.map((candidate) => candidate[name])
  await sql`
    insert into webhook_candidate (account_id, webhook_id, event_id)
    select row.account_id, row.webhook_id, row.event_id
    from unnest(${column('accountId')}::text[], ${column('webhookId')}::text[], ${column('eventId')}::bigint[])
      as row (account_id, webhook_id, event_id)
    join webhook on webhook.account_id = row.account_id and webhook.id = row.webhook_id`.execute(db)
}

/** A pending event of a webhook. All fields except the ID are null if the event is no longer in the log. */
export interface Candidate {
  id: string
  type: EventTypeName | null
  timestamp: Date | null
  deviceId: string | null
}

export async function selectCandidates(
  db: Database,
  { accountId, webhookId }: WebhookAddress,
  limit: number,
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select waiting.event_id::text as id, event.type, event."timestamp", event.device_id as "deviceId"
    from (
      select event_id from webhook_candidate where account_id = ${accountId} and webhook_id = ${webhookId}
      order by event_id limit ${limit}
    ) as waiting
    left join event on event.account_id = ${accountId} and event.id = waiting.event_id
    order by waiting.event_id`.execute(db)
  return rows
}

/** The maximum size, in bytes, of the data of the events in one read, not counting the last event. */
const MAX_BYTES = 4 * 1024 * 1024

export type PassingEvent = DeliverableEvent & { email: string }

/** Selects the events with these IDs. If their data exceeds `MAX_BYTES`, selects only the first events. */
export async function selectPassing(db: Database, accountId: string, ids: readonly string[]): Promise<PassingEvent[]> {
  const { rows } = await sql<PassingEvent>`
    select id::text, type, "timestamp", actor_id as "actorId", source, device_id as "deviceId", targets, state, data,
      (select coalesce(contact_email, email) from account where id = ${accountId}) as email,
      (select email from person where id = event.actor_id) as "actorEmail"
    from (
      select event.*, sum(octet_length(data::text)) over (order by id rows between unbounded preceding and 1 preceding)
        as bytes_before
      from event where account_id = ${accountId} and id = any(${ids}::bigint[])
    ) as event
    where bytes_before is null or bytes_before < ${sql.lit(MAX_BYTES)}
    order by id`.execute(db)
  return rows
}

/** Removes pending events of a webhook. Returns the IDs of those that were still pending. */
export async function removeCandidates(
  db: Database,
  { accountId, webhookId }: WebhookAddress,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    delete from webhook_candidate
    where account_id = ${accountId} and webhook_id = ${webhookId} and event_id = any(${ids}::bigint[])
    returning event_id::text as id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

export async function deleteCandidatesBefore(
  db: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rows } = await sql`
    delete from webhook_candidate where (account_id, webhook_id, event_id) in (
      select account_id, webhook_id, event_id from webhook_candidate where created < ${before} limit ${limit})
    returning event_id`.execute(db)
  return rows.length
}

/**
 * Selects up to 1,000 webhooks of two kinds:
 *
 * - webhooks whose first pending event has waited for more than three seconds, so probably no process is filtering for
 *   them
 * - webhooks that are paused because their view is invalid
 */
export async function selectWaiting(db: Database): Promise<WebhookAddress[]> {
  const { rows } = await sql<WebhookAddress>`
    select webhook.account_id as "accountId", webhook.id as "webhookId" from webhook
    where is_view_broken or exists (
      select from (
        select created from webhook_candidate as candidate
        where candidate.account_id = webhook.account_id and candidate.webhook_id = webhook.id
        order by event_id limit 1
      ) as first where created < statement_timestamp() - interval '3 seconds')
    limit 1000`.execute(db)
  return rows
}
