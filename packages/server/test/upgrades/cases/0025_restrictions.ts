import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** Existing roles and keys have no restriction, and every key is still in the database view `every_key`. */
const restrictions: UpgradeCase = {
  async check(db) {
    const { rows: restricted } = await sql`
      select id from role where restriction is not null
      union all select key from every_key where restriction is not null`.execute(db)
    assert.deepEqual(restricted, [])
  },
  async checkAlways(db) {
    const { rows: missing } =
      await sql`select key from access_key where key not in (select key from every_key)`.execute(db)
    assert.deepEqual(missing, [])
  },
}

export default restrictions
