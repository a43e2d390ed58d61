import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** The counting of key uses has begun for every account, but no uses have been counted. */
const keyUse: UpgradeCase = {
  async check(db) {
    const { rows } = await sql`select from key_use`.execute(db)
    assert.equal(rows.length, 0)
    const { rows: later } = await sql`select from account where key_use_since > now()`.execute(db)
    assert.equal(later.length, 0)
  },
}

export default keyUse
