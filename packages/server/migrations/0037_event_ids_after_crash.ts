import { type Kysely, sql } from 'kysely'

/**
 * Keeps event IDs unique and increasing after a crash. In a crash, a sequence can lose its last values, for example
 * those that the coordinator of a cluster assigned to events on other nodes. Statements that assign event IDs on a cluster
 * call the function first.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // After a crash, and on a promoted standby, PostgreSQL resets unlogged sequences.
  await sql`create unlogged sequence event_ids_skipped`.execute(db)
  await sql`select nextval('event_ids_skipped')`.execute(db)
  await sql`
    create function skip_event_ids_after_crash() returns boolean language plpgsql as $$
    begin
      if pg_sequence_last_value('event_ids_skipped'::regclass) is null then
        perform nextval('event_id') from generate_series(1, 100000);
        perform nextval('event_ids_skipped');
      end if;
      return true;
    end $$`.execute(db)
}
