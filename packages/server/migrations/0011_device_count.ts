import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/**
 * Maintains the number of devices of each account, because counting them for each request would be too slow:
 * docs/decisions/0004.
 */
export const steps: readonly Step[] = [
  { change: 'changes in the number of devices are recorded', run: writeChangesDown },
  { backfill: 'existing devices are counted', batch: countNextAccount },
]

async function writeChangesDown(db: Kysely<unknown>): Promise<void> {
  // The table has no foreign key to the account, because the removal of devices is recorded after their account has
  // been deleted.
  await sql`
    create table device_count (
      account_id text collate "C" not null,
      id uuid not null default gen_random_uuid(),
      devices bigint not null,
      primary key (account_id, id)
    )`.execute(db)
  await sql`comment on table device_count is
    'Changes in the number of devices. The number of devices of an account is the sum of its rows'`.execute(db)
  await sql`
    create function count_devices() returns trigger language plpgsql as $$
    begin
      insert into device_count (account_id, devices)
      select account_id, case tg_op when 'INSERT' then count(*) else -count(*) end from changed group by account_id;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger device_count_insert after insert on device
    referencing new table as changed for each statement execute function count_devices()`.execute(db)
  await sql`
    create trigger device_count_delete after delete on device
    referencing old table as changed for each statement execute function count_devices()`.execute(db)
}

/**
 * PostgreSQL creates a trigger only after the running writers have ended, so the trigger records every later commit.
 * One statement reads the devices and the recorded numbers at the same moment. The difference is the number of devices
 * that were added before the trigger existed.
 */
async function countNextAccount(db: Kysely<unknown>, { after }: { after: string | null }): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from account where id > ${after ?? ''} order by id limit 1`.execute(db)
  const next = rows[0]?.id
  if (next === undefined) return null
  await sql`
    insert into device_count (account_id, devices)
    select ${next}::text, present.devices - known.devices
    from (select count(*) as devices from device where account_id = ${next}) as present,
      (select coalesce(sum(devices), 0)::bigint as devices from device_count where account_id = ${next}) as known
    where present.devices <> known.devices`.execute(db)
  return next
}
