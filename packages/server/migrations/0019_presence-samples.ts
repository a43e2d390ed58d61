import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Records how many of an account's devices were online, in five-minute and hourly samples. */
export const steps: readonly Step[] = [{ change: 'presence samples', run: createSamples }]

async function createSamples(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table presence_sample (
      account_id text collate "C" not null references account (id) on delete cascade,
      minutes smallint not null,
      at timestamptz(3) not null,
      devices integer not null,
      online integer not null,
      min_online integer not null,
      primary key (account_id, minutes, at)
    )`.execute(db)
  await sql`comment on column presence_sample.minutes is 'Length of the interval: 5 or 60'`.execute(db)
}
