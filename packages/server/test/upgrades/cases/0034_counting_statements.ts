import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/**
 * Triggers update the device counts for statements of the previous release. Statements of this release update the
 * device counts themselves.
 */
const counting: UpgradeCase = {
  async before(db) {
    await addDevice(db, 'counted-1')
  },
  async meanwhile(db) {
    await addDevice(db, 'counted-2')
    await addDevice(db, 'counted-3')
    await sql`delete from device where id in ('counted-1', 'counted-3')`.execute(db)
  },
  async check(db) {
    const before = await readCount(db)
    await addDevice(db, 'counted-4')
    assert.equal(await readCount(db), before + 1)
    await db.transaction().execute(async (transaction) => {
      await sql`select set_config('muster.counts_devices', 'on', true)`.execute(transaction)
      await sql`delete from device where id = 'counted-4'`.execute(transaction)
    })
    assert.equal(await readCount(db), before + 1)
    await sql`insert into device_count (account_id, devices) select min(id), -1 from account`.execute(db)
  },
}

const addDevice = (db: Kysely<unknown>, id: string) =>
  sql`insert into device (account_id, id, name) select min(id), ${id}::text, 'counted' from account`.execute(db)

async function readCount(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ devices: number }>`
    select coalesce(sum(devices), 0)::int as devices from device_count where account_id = (select min(id) from account)`.execute(
    db,
  )
  return rows[0]!.devices
}

export default counting
