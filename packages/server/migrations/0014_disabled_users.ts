import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Records when an operator disabled a user. The value is null while the user is enabled. */
export const steps: readonly Step[] = [{ change: 'users can be disabled', run: addColumn }]

async function addColumn(db: Kysely<unknown>): Promise<void> {
  await sql`alter table account add column disabled timestamptz(3)`.execute(db)
}
