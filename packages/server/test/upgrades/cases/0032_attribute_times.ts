import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** The previous release records no times of values. Recorded times are complete only after its last process ends. */
const attributeTimes: UpgradeCase = {
  async check(db) {
    for (const table of ['device', 'device_live', 'service', 'account', 'attribute_override']) {
      const { rows } = await sql`select from ${sql.table(table)} where attribute_times <> '{}'`.execute(db)
      assert.equal(rows.length, 0, table)
    }
    const { rows } = await sql<{ isPast: boolean; isMixed: boolean; hasProcess: boolean }>`
      select since <= clock_timestamp() as "isPast", is_mixed as "isMixed",
        exists (select from server_process where release is null) as "hasProcess"
      from attribute_times_start`.execute(db)
    assert.equal(rows.length, 1)
    assert.equal(rows[0]!.isPast, true)
    if (rows[0]!.hasProcess) assert.equal(rows[0]!.isMixed, true)
  },
}

export default attributeTimes
