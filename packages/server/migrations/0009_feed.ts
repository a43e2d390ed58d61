import { type Kysely, sql } from 'kysely'

/**
 * For the event feed, which reads the event log across accounts and must know its end: an index, and a default that
 * assigns a transaction ID before an event ID.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The index is on an expression, so that only queries with the same expression use it. Otherwise, the planner would
  // read one account's newest events with this index, and skip the events of all other accounts.
  await sql`create index event_across_accounts on event ((id + 0))`.execute(db)
  // A transaction that draws a number already has a transaction ID. Therefore, "every transaction that drew a number up
  // to this one has an ID below that one" shows when no more events can appear below a number. The expressions are
  // evaluated in the written order.
  await sql`
    alter table event alter column id
    set default case when pg_current_xact_id() is not null then nextval('event_id') end`.execute(db)
}
