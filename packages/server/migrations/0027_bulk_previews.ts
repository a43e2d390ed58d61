import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Lets a bulk job find devices in several transactions, and restart the count of failures when the job is resumed. */
export const steps: readonly Step[] = [
  { change: 'phases of bulk previews', run: addColumns },
  {
    index: 'bulk_item_hardware_id',
    on: 'bulk_item',
    as: `(account_id, job_id, (changes -> 'update' -> 'hardwareId' ->> 'new'))
      where changes -> 'update' -> 'hardwareId' ->> 'new' is not null`,
  },
]

async function addColumns(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bulk_job add column phase text collate "C", add column tolerated integer not null default 0`.execute(
    db,
  )
  await sql`comment on column bulk_job.phase is
    'CLEAR while the preview deletes the devices of the last one, FIND while it finds devices; null while it reads their values'`.execute(
    db,
  )
  await sql`comment on column bulk_job.planned is 'The last device that the current phase has read'`.execute(db)
  await sql`comment on column bulk_job.tolerated is 'The failures before the job was last resumed'`.execute(db)
}
