import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/**
 * Every account has a person with the same ID who owns it. Both stay in sync while servers of the previous release
 * change accounts and servers of this release change people.
 */
const people: UpgradeCase = {
  async before(db) {
    await sql`
      insert into account (id, email, password_hash, attributes)
      select 'people-' || n, 'people-' || n || '@example.com', 'before', '{"$ui": {"label": "Site"}}'
      from generate_series(1, 2500) as n`.execute(db)
  },
  async meanwhile(db) {
    await sql`
      insert into account (id, email, password_hash) values ('people-new', 'people-new@example.com', 'meanwhile')`.execute(
      db,
    )
    await sql`
      insert into session (account_id, id, token, expires)
      select id, 'people', 'people-' || id, now() + interval '1 day' from account where id in ('people-1', 'people-new')`.execute(
      db,
    )
    await sql`update account set password_hash = 'changed', totp_enabled = true where id = 'people-1'`.execute(db)
    await sql`update account set disabled = now() where id = 'people-2'`.execute(db)
    const { rows } = await sql`select from person where id = 'people-2' and disabled is not null`.execute(db)
    assert.equal(rows.length, 1)
    await sql`update account set disabled = null where id = 'people-2'`.execute(db)
    await sql`delete from account where id = 'people-3'`.execute(db)
    await sql`update person set password_hash = 'changed here', name = 'Ada' where id = 'people-4'`.execute(db)
  },
  async checkAlways(db) {
    const { rows: different } = await sql`
      select account.id from account full join person on person.id = account.id
      where (account.email, account.name, account.password_hash, account.totp_enabled, account.disabled)
          is distinct from (person.email, person.name, person.password_hash, person.totp_enabled, person.disabled)
        or not exists (select from membership where account_id = account.id and person_id = person.id and role_id = 'owner')`.execute(
      db,
    )
    assert.deepEqual(different, [])
  },
  async check(db) {
    const { rows } = await sql<{ id: string; password: string | null; label: string | null; sessions: number }>`
      select id, password_hash as password, ui ->> 'label' as label,
        (select count(*)::int from session where account_id = person.id and session.id = 'people') as sessions
      from person where id in ('people-1', 'people-3', 'people-4', 'people-new') order by id`.execute(db)
    assert.deepEqual(rows, [
      { id: 'people-1', password: 'changed', label: 'Site', sessions: 1 },
      { id: 'people-4', password: 'changed here', label: 'Site', sessions: 0 },
      { id: 'people-new', password: 'meanwhile', label: null, sessions: 1 },
    ])
  },
}

export default people
