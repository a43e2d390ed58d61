import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** The previous release does not record the release of its servers. */
const serverReleases: UpgradeCase = {
  async check(db) {
    const { rows } = await sql`select from server_process where release is not null`.execute(db)
    assert.equal(rows.length, 0)
  },
}

export default serverReleases
