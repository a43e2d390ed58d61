import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** The previous release does not support views, so there are none. */
const noViews: UpgradeCase = {
  async check(db) {
    const { rows } = await sql`select from saved_view`.execute(db)
    assert.equal(rows.length, 0)
  },
}

export default noViews
