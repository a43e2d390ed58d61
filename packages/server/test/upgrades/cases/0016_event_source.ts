import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** Existing events and events that the previous release records during the migrations have no source. */
const withoutSource: UpgradeCase = {
  async check(db) {
    const { rows } = await sql`
      select from event
      where source is not null and "timestamp" < (select max("timestamp")::timestamptz from migration)`.execute(db)
    assert.equal(rows.length, 0)
  },
}

export default withoutSource
