import { type Kysely, sql } from 'kysely'

/**
 * Keeps event IDs unique and increasing after a crash. In a crash, a sequence can lose its last values, for example
 * those that the coordinator of a cluster assigned to events on other nodes. Each new direct connection that can write
 * calls the function.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // After a crash, and on a promoted standby, PostgreSQL empties unlogged tables.
  await sql`create unlogged table event_ids_skipped (since timestamptz not null)`.execute(db)
  await sql`comment on table event_ids_skipped is 'Has rows once event IDs have been skipped after the last crash'`.execute(
    db,
  )
  await sql`insert into event_ids_skipped values (statement_timestamp())`.execute(db)
  await sql`
    create function skip_event_ids_after_crash() returns void language plpgsql as $$
    begin
      if not exists (select from event_ids_skipped) then
        perform nextval('event_id') from generate_series(1, 100000);
        insert into event_ids_skipped values (statement_timestamp());
      end if;
    end $$`.execute(db)
}
