import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Lets bulk jobs process the rows of a CSV file, which can register devices. */
export const steps: readonly Step[] = [
  { change: 'rows of bulk jobs', run: addColumns },
  {
    index: 'bulk_item_row_key',
    on: 'bulk_item',
    unique: true,
    as: '(account_id, job_id, row_key) where row_key is not null',
  },
  {
    index: 'bulk_item_new_hardware_id',
    on: 'bulk_item',
    as: `(account_id, job_id, ${newHardwareId()})
      where ${newHardwareId()} is not null`,
  },
  { dropIndex: 'bulk_item_hardware_id' },
]

/** Returns the SQL expression for the hardware ID that a job gives to a device. */
function newHardwareId(): string {
  return `(coalesce(changes -> 'update' -> 'hardwareId' ->> 'new', changes -> 'register' ->> 'hardwareId'))`
}

async function addColumns(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bulk_job add column registering integer not null default 0`.execute(db)
  await sql`alter table bulk_item add column row jsonb, add column row_key text collate "C"`.execute(db)
  await sql`comment on column bulk_item.row is 'The row of a CSV: its line and its cells'`.execute(db)
  await sql`comment on column bulk_item.row_key is 'The hardware ID or the name of a device to register'`.execute(db)
}
