import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** The previous release does not support bulk jobs, so there are none. */
const noJobs: UpgradeCase = {
  async check(db) {
    const { rows } = await sql`select from bulk_job union all select from bulk_item`.execute(db)
    assert.equal(rows.length, 0)
  },
}

export default noJobs
