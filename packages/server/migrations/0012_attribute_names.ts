import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/**
 * Creates a summary of the attribute names in use, because listing them would otherwise read every device. The server
 * fills an account's rows when a client first lists the names.
 */
export const steps: readonly Step[] = [{ change: 'attribute names are summarized', run: createSummary }]

async function createSummary(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table attribute_name (
      account_id text collate "C" not null references account (id) on delete cascade,
      name text collate "C" not null,
      devices integer not null,
      services integer not null,
      last_changed timestamptz(3),
      primary key (account_id, name)
    )`.execute(db)
  await sql`comment on table attribute_name is
    'Attribute names in use on an account''s devices and services, as of the count in attribute_name_summary'`.execute(
    db,
  )
  await sql`
    create table attribute_name_summary (
      account_id text collate "C" primary key references account (id) on delete cascade,
      event_id bigint not null,
      counted timestamptz(3) not null
    )`.execute(db)
  await sql`comment on column attribute_name_summary.event_id is
    'The counts include every event up to this one'`.execute(db)
}
