import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/**
 * Sessions from the previous release, including those that it creates during the upgrade, have no method and no fixed
 * end.
 */
const singleSignOn: UpgradeCase = {
  async meanwhile(db) {
    await sql`
      insert into session (account_id, id, token, expires)
      select id, 'before-sso', 'before-sso-' || id, now() + interval '1 day' from person limit 10`.execute(db)
  },
  async check(db) {
    const { rows } = await sql`select from session where method is not null or ends is not null`.execute(db)
    assert.equal(rows.length, 0)
  },
}

export default singleSignOn
