import { type Kysely, sql } from 'kysely'

/**
 * Prepares the event log for the event feed. The feed reads the log across accounts, which needs an index. The feed
 * must also know up to which ID the log is complete. The new default of the ID makes this possible: it assigns a
 * transaction ID before an event ID.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The index is on an expression, so only queries with the same expression can use it. Otherwise, the planner could
  // use this index to read the newest events of one account. The query would then have to skip the events of all other
  // accounts.
  await sql`create index event_across_accounts on event ((id + 0))`.execute(db)
  // A transaction that assigns an event ID already has a transaction ID. Let X be the next transaction ID and N the
  // next event ID at some time. After all transactions below X have ended, no more events can appear below N.
  // PostgreSQL evaluates the expressions in the written order.
  await sql`
    alter table event alter column id
    set default case when pg_current_xact_id() is not null then nextval('event_id') end`.execute(db)
}
