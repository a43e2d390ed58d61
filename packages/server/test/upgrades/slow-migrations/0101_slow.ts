import { type Kysely, sql } from 'kysely'

/** Holds a lock for too long, which `npm run test:upgrades` must detect. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`lock table device in share mode`.execute(db)
  await sql`select pg_sleep(7)`.execute(db)
}
