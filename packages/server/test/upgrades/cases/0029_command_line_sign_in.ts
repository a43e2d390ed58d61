import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** The previous release creates no requests. */
const commandLineSignIn: UpgradeCase = {
  async check(db) {
    const { rows } = await sql`select from command_line_request`.execute(db)
    assert.equal(rows.length, 0)
  },
}

export default commandLineSignIn
