import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/**
 * Statements that insert or delete devices now count them, because the distributed tables of a cluster have no
 * triggers. The triggers remain for servers of the previous release, whose statements do not count. Drop them in a
 * later release.
 */
export const steps: readonly Step[] = [
  { change: 'triggers count only the devices that statements do not count', run: limitTriggers },
]

async function limitTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace trigger device_count_insert after insert on device
    referencing new table as changed for each statement
    when (current_setting('muster.counts_devices', true) is distinct from 'on')
    execute function count_devices()`.execute(db)
  await sql`
    create or replace trigger device_count_delete after delete on device
    referencing old table as changed for each statement
    when (current_setting('muster.counts_devices', true) is distinct from 'on')
    execute function count_devices()`.execute(db)
}
