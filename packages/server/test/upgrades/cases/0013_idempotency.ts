import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** The previous release ignores Idempotency-Key and therefore writes no records. */
const noRecords: UpgradeCase = {
  async check(db) {
    const { rows } = await sql`select from idempotency_record`.execute(db)
    assert.equal(rows.length, 0)
  },
}

export default noRecords
