import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/**
 * Records the source of a change: an access key, the console, a device, or the server. The source of events from before
 * this migration is null.
 */
export const steps: readonly Step[] = [{ change: 'events have a source', run: addColumn }]

async function addColumn(db: Kysely<unknown>): Promise<void> {
  await sql`alter table event add column source jsonb`.execute(db)
  await sql`comment on column event.source is
    'kind is accessKey, console, device, job, or server. An accessKey or a job also has its id and name at the time of the event'`.execute(
    db,
  )
}
