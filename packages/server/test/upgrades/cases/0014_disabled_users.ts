import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** The previous release does not support disabled users, so all users stay enabled. */
const allEnabled: UpgradeCase = {
  async check(db) {
    const { rows } = await sql`select from account where disabled is not null`.execute(db)
    assert.equal(rows.length, 0)
  },
}

export default allEnabled
