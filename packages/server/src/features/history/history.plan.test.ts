import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExplainedDatabase, type ExplainedDatabase, type Plan } from '../../../test/database/query-plans.ts'
import { selectChanges } from './attribute-history.queries.ts'

const ACCOUNT = 'crowded'
let database: ExplainedDatabase
let month: string

beforeAll(async () => {
  database = await createExplainedDatabase()
  const { db } = database
  month = `event_${new Date().toISOString().slice(0, 7).replace('-', '_')}`
  await sql`
    insert into event (account_id, type, device_id, targets, data)
    select ${ACCOUNT}, 'ATTRIBUTE_CHANGE', 'device ' || i % 400, jsonb_build_array(jsonb_build_object('id', 'device ' || i % 400)),
      jsonb_build_object('context', null, 'changes', jsonb_build_object(
        case when i % 50 = 0 then 'site' else 'load' end, jsonb_build_object('old', i::text, 'new', (i + 1)::text)))
    from generate_series(1, 40000) as i`.execute(db)
  await sql`
    insert into event (account_id, type, targets, data)
    select ${ACCOUNT}, 'ATTRIBUTE_CHANGE', jsonb_build_array(jsonb_build_object('id', ${ACCOUNT}::text)),
      '{"context": null, "changes": {"plan": {"old": null, "new": "gold"}}}'
    from generate_series(1, 10)`.execute(db)
  await sql`analyze`.execute(db)
})
afterAll(() => database.close())

/** Ignores partitions of future months, which are empty. */
const ofThisMonth = ({ scanned, indexes }: Plan) => ({
  scanned: scanned.filter((table) => table === month),
  indexes: indexes.filter((index) => index.startsWith(month)).map((index) => index.slice(month.length + 1)),
})

const owners = ['device 2', 'device 4'].map((id) => ({ id, deviceId: id }))

test('reads the changes to devices from the device index', async () => {
  for (const filter of [{}, { name: 'site' }, { context: 'night' }, { from: new Date(Date.now() - 86_400_000) }]) {
    const run = (db: ExplainedDatabase['db']) => selectChanges(db, ACCOUNT, { owners, slice: { filter, limit: 101 } })
    for (const plan of [await database.planFor(run), await database.genericPlanFor(run)])
      expect(ofThisMonth(plan)).toEqual({ scanned: [], indexes: ['account_id_device_id_id_idx'] })
  }
})

test("reads the account's own changes from a separate index", async () => {
  const run = (db: ExplainedDatabase['db']) =>
    selectChanges(db, ACCOUNT, { owners: [{ id: ACCOUNT, deviceId: null }], slice: { filter: {}, limit: 101 } })
  for (const plan of [await database.planFor(run), await database.genericPlanFor(run)])
    expect(ofThisMonth(plan)).toEqual({ scanned: [], indexes: ['account_id_id_idx'] })
})
