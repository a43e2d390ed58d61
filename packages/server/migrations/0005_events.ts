import { type Kysely, sql } from 'kysely'

/**
 * Creates the event log, with one partition per month. A transaction locks the changed row before it inserts the event,
 * and the insertion assigns the event's number. The events of a device are therefore numbered in the order of its
 * changes. The log has no foreign key to the account, because every change would then lock the account's row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create sequence event_id cache 1`.execute(db)
  await sql`
    create table event (
      account_id text collate "C" not null,
      id bigint not null default nextval('event_id'),
      "timestamp" timestamptz(3) not null default clock_timestamp(),
      type text collate "C" not null,
      device_id text collate "C",
      actor_id text collate "C",
      targets jsonb not null,
      state text collate "C",
      data jsonb not null default '{}',
      primary key (account_id, id, "timestamp")
    ) partition by range ("timestamp")`.execute(db)
  await sql`create index event_of_device on event (account_id, device_id, id) where device_id is not null`.execute(db)
}
