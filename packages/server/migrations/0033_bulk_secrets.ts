import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Lets bulk jobs create secrets for the devices that they register. */
export const steps: readonly Step[] = [{ change: 'secrets of bulk jobs', run: addColumn }]

async function addColumn(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bulk_job add column encrypted_secret bytea`.execute(db)
  await sql`comment on column bulk_job.encrypted_secret is
    'The encrypted key from which the secrets of new devices are derived. Null if the job creates none, and after they were given'`.execute(
    db,
  )
}
