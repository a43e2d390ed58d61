import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

const names: UpgradeCase = {
  async check(db) {
    const { rows } = await sql`select from attribute_name_summary`.execute(db)
    assert.equal(rows.length, 0, 'the migration must not count names before they are first listed')
  },
}

export default names
