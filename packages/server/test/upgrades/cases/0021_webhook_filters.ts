import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** Webhooks keep sending all events, and the previous release keeps moving the cursor until a webhook has a filter. */
const withoutFilters: UpgradeCase = {
  async check(db) {
    const filtered =
      await sql`select from webhook where filter is not null or view_id is not null or is_view_broken`.execute(db)
    assert.equal(filtered.rows.length, 0)
    const hidden = await sql`select from webhook_cursor where position is not null`.execute(db)
    assert.equal(hidden.rows.length, 0)
    const events = await sql`select from event where previous is not null`.execute(db)
    assert.equal(events.rows.length, 0)
    const waiting = await sql`select from webhook_candidate`.execute(db)
    assert.equal(waiting.rows.length, 0)
  },
}

export default withoutFilters
