import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** The migration adds only an index. Every partition has a valid copy of the index. */
const indexed: UpgradeCase = {
  async checkAlways(db) {
    const { rows } = await sql<{ valid: boolean }>`
      select indisvalid as valid from pg_index where indexrelid = 'event_of_account_attributes'::regclass`.execute(db)
    assert.deepEqual(rows, [{ valid: true }])
  },
}

export default indexed
