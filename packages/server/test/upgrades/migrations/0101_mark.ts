import { type Kysely, sql } from 'kysely'
import type { Step } from '../../../src/db/migration.ts'

/** A sample migration with a step of each kind. */
export const steps: readonly Step[] = [
  { change: 'column mark', run: addColumn },
  { change: 'columns of the sign-in tables', run: addSignInColumns },
  { change: 'trigger for new marks', run: addTrigger },
  { backfill: 'marks of devices', batch: markDevices },
  { index: 'device_by_mark', on: 'device', as: '(account_id, mark, id)' },
  { index: 'event_by_type', on: 'event', as: '(account_id, type, id)' },
  { dropIndex: 'device_by_platform' },
]

async function addColumn(db: Kysely<unknown>): Promise<void> {
  await sql`alter table device add column mark text collate "C"`.execute(db)
}

/** Running servers must continue to sign people in. */
async function addSignInColumns(db: Kysely<unknown>): Promise<void> {
  for (const table of ['person', 'session', 'sign_in_step'])
    await sql`alter table ${sql.table(table)} add column mark text`.execute(db)
}

async function addTrigger(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function mark_device() returns trigger language plpgsql as $$
    begin new.mark := 'm-' || new.id; return new; end $$`.execute(db)
  await sql`create trigger mark_device before insert or update on device for each row execute function mark_device()`.execute(
    db,
  )
}

async function markDevices(
  db: Kysely<unknown>,
  { after, size }: { after: string | null; size: number },
): Promise<string | null> {
  const [account, id] = after === null ? ['', ''] : (JSON.parse(after) as [string, string])
  const { rows } = await sql<{ account_id: string; id: string }>`
    with batch as (
      select account_id, id from device where (account_id, id) > (${account}, ${id}) order by account_id, id limit ${size}
    ), marked as (
      update device set mark = 'm-' || device.id from batch
      where device.account_id = batch.account_id and device.id = batch.id and mark is null
    )
    select account_id, id from batch order by account_id desc, id desc limit 1`.execute(db)
  const last = rows[0]
  return last === undefined ? null : JSON.stringify([last.account_id, last.id])
}
