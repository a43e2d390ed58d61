import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** Invitations that servers create before and during the migration are found by their email addresses. */
const invitationEmail: UpgradeCase = {
  async before(db) {
    await sql`
      insert into invitation (account_id, id, token_hash, email, role_id, expires, source)
      select id, 'by-email', decode(md5(id), 'hex'), upper(email), 'viewer', now() + interval '1 day', '{"kind": "unknown"}'
      from account order by id limit 100`.execute(db)
  },
  async meanwhile(db) {
    await sql`
      insert into invitation (account_id, id, token_hash, email, role_id, expires, source)
      select account_id, 'by-email-new', decode(md5(encode(token_hash, 'hex')), 'hex'), email, role_id, expires, source
      from invitation where id = 'by-email'`.execute(db)
  },
  async check(db) {
    const { rows } = await sql<{ id: string; found: number }>`
      select invited.id, count(*)::int as found from account
        join invitation as invited on lower(invited.email) = lower(account.email)
      where invited.id in ('by-email', 'by-email-new') group by 1 order by 1`.execute(db)
    assert.ok(rows.every(({ found }) => found === 100))
  },
}

export default invitationEmail
