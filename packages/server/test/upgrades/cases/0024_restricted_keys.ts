import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/**
 * Existing keys, and keys that servers of the previous release create during the upgrade, stay in the table
 * `access_key`. That release finds keys only in this table.
 */
const restrictedKeys: UpgradeCase = {
  async meanwhile(db) {
    await sql`
      insert into access_key (account_id, key, algorithm, encrypted_secret)
      select id, 'meanwhile-' || id, 'hmac-sha256', '\\x00ff' from account`.execute(db)
  },
  async check(db) {
    const { rows: restricted } = await sql`select from restricted_key`.execute(db)
    assert.equal(restricted.length, 0)
    const { rows: filled } = await sql`
      select key from every_key where permissions is not null or source is not null`.execute(db)
    assert.deepEqual(filled, [])
  },
  async checkAlways(db) {
    const { rows: different } = await sql`
      select key from access_key full join every_key using (account_id, key)
      where (access_key.name, access_key.enabled, access_key.algorithm, access_key.encrypted_secret, access_key.public_key)
          is distinct from (every_key.name, every_key.enabled, every_key.algorithm, every_key.encrypted_secret, every_key.public_key)
        or is_restricted is distinct from false or networks <> '{}' or rate_share <> 100`.execute(db)
    assert.deepEqual(different, [])
  },
}

export default restrictedKeys
