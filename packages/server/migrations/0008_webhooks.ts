import { type Kysely, sql } from 'kysely'

/** Creates the tables of webhooks, their deliveries, and the position in the event log up to which deliveries exist. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhook (
      account_id text collate "C" not null references account (id) on delete cascade,
      id text collate "C" not null,
      name text collate "C",
      url text collate "C" not null,
      events text[] collate "C" not null,
      enabled boolean not null default true,
      paused text collate "C",
      created timestamptz(3) not null default clock_timestamp(),
      encrypted_secret bytea not null,
      former_secret bytea,
      former_secret_until timestamptz(3),
      primary key (account_id, id)
    )`.execute(db)

  // Users change `webhook`, and the server changes this table while it sends deliveries. One process at a time, the
  // holder, sends a webhook's deliveries.
  await sql`
    create table webhook_sending (
      account_id text collate "C" not null,
      webhook_id text collate "C" not null,
      holder text collate "C",
      held_until timestamptz(3),
      failures integer not null default 0,
      failing_since timestamptz(3),
      probe_at timestamptz(3),
      primary key (account_id, webhook_id),
      foreign key (account_id, webhook_id) references webhook (account_id, id) on delete cascade
    ) with (fillfactor = 50)`.execute(db)

  await sql`
    create table webhook_delivery (
      account_id text collate "C" not null,
      webhook_id text collate "C" not null,
      id text collate "C" not null,
      event_id bigint,
      body text collate "C" not null,
      status text collate "C" not null default 'pending',
      attempts integer not null default 0,
      tries integer not null default 0,
      http_status integer,
      duration integer,
      error text collate "C",
      response text collate "C",
      created timestamptz(3) not null default clock_timestamp(),
      next_attempt timestamptz(3),
      primary key (account_id, webhook_id, id),
      foreign key (account_id, webhook_id) references webhook (account_id, id) on delete cascade,
      check ((status = 'pending') = (next_attempt is not null))
    )`.execute(db)
  await sql`
    create index webhook_delivery_due on webhook_delivery (account_id, webhook_id, next_attempt)
    where status = 'pending'`.execute(db)
  await sql`
    create index webhook_delivery_failed on webhook_delivery (account_id, webhook_id, id)
    where status = 'failed'`.execute(db)
  await sql`create index webhook_delivery_by_age on webhook_delivery (created)`.execute(db)

  // No webhooks existed before this migration, so no earlier event needs deliveries.
  await sql`create table webhook_cursor (event_id bigint not null)`.execute(db)
  await sql`insert into webhook_cursor select coalesce(max(id), 0) from event`.execute(db)

  // If a process ends without releasing its job locks, the other processes find it in this table and release its locks.
  await sql`
    create table job_worker (
      id text collate "C" primary key,
      seen timestamptz(3) not null default clock_timestamp()
    )`.execute(db)
}
