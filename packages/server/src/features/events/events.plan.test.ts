import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExplainedDatabase, type ExplainedDatabase, type Plan } from '../../../test/database/query-plans.ts'
import { eventExists, selectEvents, selectEventsOfDevices } from './events.queries.ts'

const ACCOUNT = 'crowded'
const MONTH_MS = 30 * 86_400_000
let database: ExplainedDatabase
let last: string
let month: string

beforeAll(async () => {
  database = await createExplainedDatabase()
  const { db } = database
  month = `event_${new Date().toISOString().slice(0, 7).replace('-', '_')}`
  const { rows } = await sql<{ last: string }>`
    with written as (
      insert into event (account_id, type, device_id, targets)
      select (array['crowded', 'neighbor'])[1 + i % 2], 'DEVICE_UPDATE', 'device ' || i % 4000, '[]'
      from generate_series(1, 40000) as i returning id)
    select max(id)::text as last from written`.execute(db)
  last = rows[0]!.last
  await sql`analyze`.execute(db)
})
afterAll(() => database.close())

const start = { offset: 0 }
const limit = 101
const filter = { from: new Date(Date.now() - MONTH_MS) }

/** Ignores partitions of future months, which are empty. */
const ofThisMonth = ({ scanned, indexes }: Plan) => ({
  scanned: scanned.filter((table) => table === month),
  indexes: indexes.filter((index) => index.startsWith(month)).map((index) => index.slice(month.length + 1)),
})

test('uses the primary key for the newest events and for the events after a given event', async () => {
  const after = { afterId: String(Number(last) - 10_000) }
  for (const run of [
    (db: ExplainedDatabase['db']) => selectEvents(db, ACCOUNT, { filter, start, limit }),
    (db: ExplainedDatabase['db']) => selectEvents(db, ACCOUNT, { filter: {}, start: after, limit }),
  ]) {
    for (const plan of [await database.planFor(run), await database.genericPlanFor(run)]) {
      expect(ofThisMonth(plan)).toEqual({ scanned: [], indexes: ['pkey'] })
    }
  }
})

test('reads the events of a page of devices in one statement that uses the device index', async () => {
  const deviceIds = Array.from({ length: 100 }, (_, number) => `device ${number * 2}`)
  const plan = await database.planFor((db) =>
    selectEventsOfDevices(db, ACCOUNT, { deviceIds, page: { filter, start, limit } }),
  )
  expect(ofThisMonth(plan)).toEqual({ scanned: [], indexes: ['account_id_device_id_id_idx'] })
})

test('reads the events of a few devices from the device index', async () => {
  const deviceIds = ['device 2', 'device 4']
  const plan = await database.planFor((db) =>
    selectEvents(db, ACCOUNT, { filter: { ...filter, deviceIds }, start, limit }),
  )
  expect(ofThisMonth(plan)).toEqual({ scanned: [], indexes: ['account_id_device_id_id_idx'] })
})

test('uses the primary key to find an event by its ID', async () => {
  const plan = await database.planFor((db) => eventExists(db, ACCOUNT, { id: last, filter: {} }))
  expect(ofThisMonth(plan)).toEqual({ scanned: [], indexes: ['pkey'] })
})
