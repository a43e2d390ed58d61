import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Adds daily counts of each access key's uses of each field, and the time from which an account's uses are counted. */
export const steps: readonly Step[] = [
  {
    change: 'counts of what access keys use',
    async run(db: Kysely<unknown>) {
      await sql`
        create table key_use (
          account_id text collate "C" not null references account (id) on delete cascade,
          key text collate "C" not null,
          day timestamptz(3) not null,
          field text collate "C" not null,
          permission text collate "C" not null,
          uses bigint not null,
          rejected bigint not null,
          last_used timestamptz(3),
          primary key (account_id, key, day, field, permission)
        )`.execute(db)
      await sql`comment on column key_use.day is 'Start of the day in UTC'`.execute(db)
      await sql`comment on column key_use.rejected is 'Attempts that the server rejected, which are not in uses'`.execute(
        db,
      )
    },
  },
  {
    change: 'time from which the uses of access keys are counted',
    async run(db: Kysely<unknown>) {
      // The default is the time of this migration for existing accounts, and the time of creation for new ones.
      await sql`alter table account add column key_use_since timestamptz(3) not null default now()`.execute(db)
    },
  },
]
