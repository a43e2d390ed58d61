import { type Kysely, sql } from 'kysely'

/** What following the event log needs: it is read across accounts, and its end must be one that can be known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // On an expression, so that only what asks for it follows it: the planner would read the newest events of one account along
  // the numbers of all accounts, and walk past everybody else's.
  await sql`create index event_across_accounts on event ((id + 0))`.execute(db)
  // Whoever draws a number has a transaction id by then: "every transaction that drew a number up to this one has an id
  // below that one" is what tells when no more events come before a number. Evaluated in the order written.
  await sql`
    alter table event alter column id
    set default case when pg_current_xact_id() is not null then nextval('event_id') end`.execute(db)
}
