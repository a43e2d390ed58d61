import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

const counts: UpgradeCase = {
  async before(db) {
    await addDevices(db, 'before', 7)
  },
  async meanwhile(db) {
    await addDevices(db, 'meanwhile', 5)
    await sql`delete from device where id like 'before-%' and right(id, 1) in ('1', '2')`.execute(db)
  },
  async checkAlways(db) {
    const { rows } = await sql<{ id: string; devices: number; counted: number }>`
      select account.id, (select count(*) from device where account_id = account.id)::int as devices,
        (select coalesce(sum(devices), 0) from device_count where account_id = account.id)::int as counted
      from account order by id`.execute(db)
    assert.ok(rows.length > 0)
    assert.deepEqual(
      rows.filter(({ devices, counted }) => devices !== counted),
      [],
    )
  },
}

async function addDevices(db: Kysely<unknown>, name: string, count: number): Promise<void> {
  await sql`
    insert into device (account_id, id, name)
    select (select min(id) from account), ${name}::text || '-' || number, ${name} from generate_series(1, ${count}::int) as number`.execute(
    db,
  )
}

export default counts
