import { type Kysely, sql } from 'kysely'

/** When the user of a session last confirmed the sign-in; null if the user has not confirmed it since signing in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table session add column confirmed timestamptz(3)`.execute(db)
}
