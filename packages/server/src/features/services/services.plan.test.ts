import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExplainedDatabase, type ExplainedDatabase, insertDevices } from '../../../test/database/query-plans.ts'
import { selectServicePage } from './list/service-list.queries.ts'
import { stateColumn } from './service-row.ts'
import { selectServices, selectServicesOfDevices, writeServicesOfDevices } from './services.queries.ts'
import { readServiceOrder } from './services-of-device-arguments.ts'

const ACCOUNT = 'crowded'
const SMALL_ACCOUNT = 'small'
let database: ExplainedDatabase

beforeAll(async () => {
  database = await createExplainedDatabase()
  const { db } = database
  await insertDevices(db, ACCOUNT, 5_000)
  await sql`insert into account (id, email) values (${SMALL_ACCOUNT}, 'small@example.com')`.execute(db)
  await sql`insert into device (account_id, id, name)
    select ${SMALL_ACCOUNT}, 'device ' || i, 'node-' || i from generate_series(1, 100) as i`.execute(db)
  await sql`insert into device_live (account_id, device_id) select ${SMALL_ACCOUNT}, id from device
    where account_id = ${SMALL_ACCOUNT}`.execute(db)
  await sql`insert into service (account_id, device_id, id, name, application)
    select account_id, id, id || ' ' || i, 'service ' || i, i from device, generate_series(1, 4) as i`.execute(db)
  await sql`insert into service_live (account_id, service_id, device_id, state, state_since, last_reported)
    select account_id, id, device_id, 'active', now(), now() from service`.execute(db)
  await sql`analyze`.execute(db)
})
afterAll(() => database.close())

const devices = Array.from({ length: 1_000 }, (_, number) => ({ id: `device ${number + 1}`, state: 'active' as const }))

type Run = Parameters<ExplainedDatabase['planFor']>[0]

test('reads services of a page of devices by name in one statement, from the name index without a sort', async () => {
  for (const sort of ['name', 'name desc']) {
    const selection = { devices, filter: {}, order: readServiceOrder(sort) }
    const runs: Run[] = [
      (db) => selectServicesOfDevices(db, ACCOUNT, { ...selection, attributes: false }),
      (db) => writeServicesOfDevices(db, ACCOUNT, { ...selection, json: sql`s.id || ${stateColumn}` }),
    ]
    for (const run of runs) {
      expect(await database.planFor(run)).toEqual({
        indexes: ['service_live_pkey', 'service_of_device'],
        scanned: [],
        naturalSorts: [],
      })
    }
  }
})

test('finds services by ID with the primary key', async () => {
  const ids = devices.slice(0, 50).map(({ id }) => `${id} 1`)
  const plan = await database.planFor((db) => selectServices(db, ACCOUNT, { ids, attributes: true, inside: undefined }))
  expect(plan).toEqual({
    indexes: ['device_live_pkey', 'service_live_pkey', 'service_pkey'],
    scanned: [],
    naturalSorts: [],
  })
})

test('looks up the services of each device, in the order of device names, in a small account next to a larger one', async () => {
  const keys = [
    { by: 'device.name', direction: 'asc' },
    { by: 'name', direction: 'asc' },
  ] as const
  const list = { selection: { where: undefined, now: 0, context: undefined }, keys, start: { offset: 0 }, limit: 31 }
  const plan = await database.planFor((db) =>
    selectServicePage(db, SMALL_ACCOUNT, { ...list, attributes: true, search: 'lookup' }),
  )
  expect(plan.indexes).toEqual(['device_by_name', 'device_live_pkey', 'service_live_pkey', 'service_of_device'])
})
