import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Creates the table of saved views: named filters with columns and a sort order. */
export const steps: readonly Step[] = [{ change: 'views', run: createView }]

async function createView(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table saved_view (
      account_id text collate "C" not null references account (id) on delete cascade,
      id text collate "C" not null,
      kind text collate "C" not null,
      name text collate "C" not null,
      description text collate "C",
      filter text collate "C",
      context text collate "C",
      sort_by text[] collate "C" not null,
      columns jsonb not null,
      labels text[] collate "C" not null,
      is_shared boolean not null,
      created timestamptz(3) not null,
      updated timestamptz(3) not null,
      source jsonb not null,
      version integer not null,
      primary key (account_id, id)
    )`.execute(db)
  await sql`create unique index saved_view_name on saved_view (account_id, lower(name collate "und-x-icu"))`.execute(db)
  await sql`comment on column saved_view.source is 'The source of the view, as in event.source'`.execute(db)
}
