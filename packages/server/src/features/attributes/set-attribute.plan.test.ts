import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExplainedDatabase, type ExplainedDatabase, insertDevices } from '../../../test/database/query-plans.ts'
import { serverSource } from '../events/event-source.ts'
import { setOnDevice, setOnDevices, setOnService, setReserved } from './set-attribute.queries.ts'

const ACCOUNT = 'crowded'
let database: ExplainedDatabase

/** Inserts 5,000 devices with one service each, and the expected intervals of 5,000 names. */
beforeAll(async () => {
  database = await createExplainedDatabase()
  const { db } = database
  await insertDevices(db, ACCOUNT, 5_000)
  await sql`insert into service (account_id, device_id, id, name, application)
    select account_id, id, 'service of ' || id, 'ssh', 28 from device`.execute(db)
  await sql`insert into freshness (account_id, name, seconds)
    select ${ACCOUNT}, 'name ' || i, 60 from generate_series(1, 5000) as i`.execute(db)
  await sql`analyze`.execute(db)
})
afterAll(() => database.close())

const write = { accountId: ACCOUNT, actorId: ACCOUNT, source: serverSource, value: 'oslo' }

const several = Array.from({ length: 50 }, (_, index) => ({
  ...write,
  targetId: `device ${index + 1}`,
  name: ['site'] as const,
}))

type Case = [what: string, run: (db: ExplainedDatabase['db']) => Promise<unknown>, indexes: string[]]

test.each<Case>([
  [
    'an attribute of a device',
    (db) => setOnDevice(db, { ...write, targetId: 'device 7', name: ['site'] }),
    ['device_live_pkey', 'device_pkey', 'freshness_pkey'],
  ],
  ...[true, false].map(
    (waits): Case => [
      `one attribute on each of several devices, ${waits ? 'waiting for' : 'skipping'} locked devices`,
      (db) => setOnDevices(db, ACCOUNT, { writes: several, waits }),
      ['device_live_pkey', 'device_pkey', 'freshness_pkey'],
    ],
  ),
  [
    'a reserved value',
    (db) => setReserved(db, { ...write, targetId: 'device 7', name: ['$svc', 'statusA'] }),
    ['device_live_pkey', 'device_pkey', 'freshness_pkey'],
  ],
  [
    'an attribute of a service',
    (db) => setOnService(db, { ...write, targetId: 'service of device 7', name: ['site'] }),
    ['device_pkey', 'freshness_pkey', 'service_pkey'],
  ],
])('writes %s by primary key', async (_name, run, indexes) => {
  for (const plan of [await database.planFor(run), await database.genericPlanFor(run)]) {
    expect(plan).toEqual({ indexes, scanned: [], naturalSorts: [] })
  }
})
