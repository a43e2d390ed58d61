import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** The previous release does not take presence samples, so there are none. */
const noSamples: UpgradeCase = {
  async check(db) {
    const { rows } = await sql`select from presence_sample`.execute(db)
    assert.equal(rows.length, 0)
  },
}

export default noSamples
