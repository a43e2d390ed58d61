import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** The previous release does not support sign-in from the command line, so there are no requests for it. */
const commandLineSignIn: UpgradeCase = {
  async check(db) {
    const { rows } = await sql`select from command_line_request`.execute(db)
    assert.equal(rows.length, 0)
  },
}

export default commandLineSignIn
