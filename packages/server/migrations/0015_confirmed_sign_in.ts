import { type Kysely, sql } from 'kysely'

/** Records when a session's user last confirmed the sign-in. The value is null until the first confirmation. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table session add column confirmed timestamptz(3)`.execute(db)
}
