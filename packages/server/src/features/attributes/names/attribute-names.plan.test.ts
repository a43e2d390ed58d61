import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createExplainedDatabase,
  type ExplainedDatabase,
  insertDevices,
} from '../../../../test/database/query-plans.ts'
import {
  countNamesInRange,
  countNamesOnTargets,
  findRangeEnd,
  findRecentTargets,
  readRecentChanges,
} from './attribute-names.queries.ts'

const ACCOUNT = 'crowded'
let database: ExplainedDatabase

beforeAll(async () => {
  database = await createExplainedDatabase()
  const { db } = database
  await insertDevices(db, ACCOUNT, 5_000)
  await sql`update device set attributes = '{"site": "oslo", "net": {"ssid": "lab"}}'`.execute(db)
  await sql`insert into service (account_id, device_id, id, name, application)
    select account_id, id, id || ' service', 'service', 1 from device`.execute(db)
  await sql`insert into attribute_override (account_id, target_id, context, attributes)
    select account_id, id, 'night', '{"site": "bergen"}' from device limit 500`.execute(db)
  await sql`insert into event (account_id, type, device_id, targets, data)
    select account_id, 'ATTRIBUTE_CHANGE', id, jsonb_build_array(jsonb_build_object('id', id)),
      '{"changes": {"site": {"old": null, "new": "oslo"}}}' from device`.execute(db)
  await sql`analyze`.execute(db)
})
afterAll(() => database.close())

const named = ['attribute_override_pkey', 'device_live_pkey', 'device_pkey', 'service_pkey']

test('counts the names in a range of devices by primary key', async () => {
  const run: Parameters<ExplainedDatabase['planFor']>[0] = (db) =>
    countNamesInRange(db, ACCOUNT, { after: 'device 1', upTo: 'device 2', limit: 100 })
  for (const plan of [await database.planFor(run), await database.genericPlanFor(run)]) {
    expect(plan.scanned).toEqual([])
    expect(plan.indexes).toEqual(named)
  }
})

test('finds the end of a range with the primary key', async () => {
  const plan = await database.genericPlanFor((db) => findRangeEnd(db, ACCOUNT, { after: 'device 1', count: 100 }))
  expect(plan).toEqual({ indexes: ['device_pkey'], scanned: [], naturalSorts: [] })
})

test('reads recent changes by event ID', async () => {
  const range = { after: 4_990n, limit: 100, names: ['site'] }
  const partitions = sql<{ name: string }>`select distinct tableoid::regclass::text as name from event`
  const filled = (await partitions.execute(database.db)).rows.map(({ name }) => name)
  expect(filled).not.toEqual([])
  for (const read of [readRecentChanges, findRecentTargets]) {
    const plan = await database.planFor((db) => read(db, ACCOUNT, range))
    // Ignore the empty monthly partitions, because a plan scans them.
    expect(plan.scanned.filter((table) => filled.includes(table) || !table.startsWith('event_20'))).toEqual([])
    expect(plan.indexes.filter((index) => index.endsWith('_pkey')).length).toBeGreaterThan(0)
  }
})

test('counts the names of given targets by target ID', async () => {
  const ids = ['device 1', 'device 2', 'device 3 service']
  const plan = await database.planFor((db) => countNamesOnTargets(db, ACCOUNT, { ids, names: ['site'] }))
  expect(plan.scanned).toEqual([])
})
