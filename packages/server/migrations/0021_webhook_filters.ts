import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Lets a webhook send only the events of matching devices. */
export const steps: readonly Step[] = [
  { change: 'webhooks have filters', run: addFilters },
  { change: 'events that wait for a filter', run: createCandidates },
  { change: 'the cursor has a second column', run: addPosition },
  { change: 'events keep what they replaced', run: addPrevious },
]

async function addFilters(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table webhook add column filter text collate "C", add column view_id text collate "C",
      add column context text collate "C", add column is_view_broken boolean not null default false`.execute(db)
  await sql`comment on column webhook.filter is 'A device filter in canonical form'`.execute(db)
  await sql`comment on column webhook.is_view_broken is
    'Whether the webhook is paused until its view can be used again'`.execute(db)
}

async function createCandidates(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhook_candidate (
      account_id text collate "C" not null,
      webhook_id text collate "C" not null,
      event_id bigint not null,
      created timestamptz(3) not null default clock_timestamp(),
      primary key (account_id, webhook_id, event_id),
      foreign key (account_id, webhook_id) references webhook (account_id, id) on delete cascade
    )`.execute(db)
  await sql`comment on table webhook_candidate is
    'Events of webhooks with a filter, until it is known whether the device of the event matches'`.execute(db)
}

/**
 * A server of the previous release would ignore filters and send every event. When the first webhook gets a filter, the
 * server therefore moves the cursor to the new column. It sets the old column to the greatest possible event ID, so
 * that the previous release finds nothing to send.
 */
async function addPosition(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhook_cursor add column position bigint`.execute(db)
  await sql`comment on column webhook_cursor.position is
    'Set when the first webhook with a filter is created. From then on, event_id is the greatest number'`.execute(db)
}

async function addPrevious(db: Kysely<unknown>): Promise<void> {
  await sql`alter table event add column previous jsonb`.execute(db)
  await sql`comment on column event.previous is
    'Values before the change that data does not contain. Null if there are none, or if the event is older than this column'`.execute(
    db,
  )
}
