import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Stores the previewed changes of each device, because a bulk job applies only the changes in its preview. */
export const steps: readonly Step[] = [
  { change: 'bulk jobs', run: createJobs },
  { change: 'devices of bulk jobs', run: createItems },
]

async function createJobs(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table bulk_job (
      account_id text collate "C" not null references account (id) on delete cascade,
      id text collate "C" not null,
      name text collate "C" not null,
      state text collate "C" not null,
      reason text collate "C",
      target jsonb not null,
      filter text collate "C",
      context text collate "C",
      operations jsonb not null,
      rate integer not null,
      max_failures integer,
      expected integer,
      token text collate "C",
      created timestamptz(3) not null,
      created_by jsonb not null,
      actor_id text collate "C",
      previewed timestamptz(3),
      planned text collate "C",
      started timestamptz(3),
      started_by jsonb,
      starter jsonb,
      finished timestamptz(3),
      next_batch timestamptz(3) not null default clock_timestamp(),
      undo_of text collate "C",
      total integer not null default 0,
      planned_count integer not null default 0,
      changing integer not null default 0,
      unchanged integer not null default 0,
      rejected integer not null default 0,
      done integer not null default 0,
      failed integer not null default 0,
      skipped integer not null default 0,
      primary key (account_id, id)
    )`.execute(db)
  await sql`comment on column bulk_job.filter is 'The filter of the preview, combined with that of the view. Null for a list of devices'`.execute(
    db,
  )
  await sql`comment on column bulk_job.planned is 'The last device that the preview has read'`.execute(db)
  await sql`comment on column bulk_job.starter is 'The caller whose permissions the job uses: personId, accessKey, email'`.execute(
    db,
  )
  await sql`comment on column bulk_job.expected is 'The job starts by itself after the preview if exactly this number of devices would change'`.execute(
    db,
  )
  await sql`create index bulk_job_active on bulk_job (account_id, started) where state in ('PREVIEWING', 'RUNNING')`.execute(
    db,
  )
  await sql`create index bulk_job_undo on bulk_job (account_id, undo_of) where undo_of is not null`.execute(db)
}

async function createItems(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table bulk_item (
      account_id text collate "C" not null,
      job_id text collate "C" not null,
      device_id text collate "C" not null,
      name text collate "C" not null default '',
      outcome text collate "C",
      status text collate "C" not null default 'PENDING',
      reason text collate "C",
      changes jsonb not null default '{}',
      code text collate "C",
      message text collate "C",
      event_ids bigint[] not null default '{}',
      primary key (account_id, job_id, device_id),
      foreign key (account_id, job_id) references bulk_job (account_id, id) on delete cascade
    )`.execute(db)
  await sql`comment on column bulk_item.outcome is 'The result for the device. Null until the preview has read the device'`.execute(
    db,
  )
  await sql`create index bulk_item_status on bulk_item (account_id, job_id, status, device_id)`.execute(db)
}
