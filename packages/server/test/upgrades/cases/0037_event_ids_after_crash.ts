import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** Events that servers of the previous release insert before, during, and after the migration have increasing IDs. */
const eventIds: UpgradeCase = {
  async before(db) {
    await addEvent(db, 'before')
  },
  async meanwhile(db) {
    await addEvent(db, 'meanwhile')
  },
  async check(db) {
    await addEvent(db, 'after')
    const { rows } = await sql<{ device: string }>`
      select device_id as device from event where type = 'EVENT_IDS' order by id`.execute(db)
    assert.deepEqual(
      rows.map(({ device }) => device),
      ['before', 'meanwhile', 'after'],
    )
  },
}

const addEvent = (db: Kysely<unknown>, device: string) =>
  sql`insert into event (account_id, type, device_id, targets)
    select min(id), 'EVENT_IDS', ${device}::text, '[]' from account`.execute(db)

export default eventIds
