import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** Sessions from the previous release have no confirmation time. The server uses their start time instead. */
const unconfirmed: UpgradeCase = {
  async check(db) {
    const { rows } = await sql`select from session where confirmed is not null`.execute(db)
    assert.equal(rows.length, 0)
  },
}

export default unconfirmed
