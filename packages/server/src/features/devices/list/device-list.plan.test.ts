import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createExplainedDatabase, type ExplainedDatabase, type Plan } from '../../../../test/database/query-plans.ts'
import type { Context } from '../../../context.ts'
import type { Database } from '../../../db/database.ts'
import { createRowMeter } from '../../../graphql/cost/row-meter.ts'
import { selectServices } from '../../services/services.queries.ts'
import { selectDevices } from '../devices.queries.ts'
import { type DeviceFilterArguments, readDeviceFilter } from './device-filter.ts'
import { countDevices, type DeviceStart, devicePageSql, selectDevicePage } from './device-list.queries.ts'
import { listDevices } from './device-list.ts'
import { findPlace } from './device-place.queries.ts'
import { rowsRead } from './device-row-cost.ts'
import { databasePlace, readDeviceOrder } from './device-sort.ts'

let database: ExplainedDatabase
beforeAll(async () => {
  database = await createExplainedDatabase()
  await fill()
})
afterAll(() => database.close())

const ACCOUNT = 'crowded'

async function fill(): Promise<void> {
  const { db } = database
  await sql`insert into account (id, email) values ('crowded', 'a@example.com'), ('neighbor', 'b@example.com')`.execute(
    db,
  )
  await sql`
    insert into device (account_id, id, name, hardware_id, platform, created, attributes)
    select account.id, '80:00:00:00:00:' || lpad(to_hex(i / 65536), 2, '0') || ':' || lpad(to_hex(i / 256 % 256), 2, '0') || ':' || lpad(to_hex(i % 256), 2, '0'),
      'node-' || i * 7919 % 20011, case when i % 5 > 0 then 'hw-' || i end,
      case when i % 4 > 0 then 'platform ' || i % 40 end, timestamptz '2026-01-01' + i * interval '1 minute',
      jsonb_build_object('rack', 'r' || i % 1000)
    from account, generate_series(1, 20000) as i`.execute(db)
  await sql`
    insert into device_live (account_id, device_id, state, last_reported, status_a)
    select account_id, id, case when created < '2026-01-01 01:00Z' then 'active' else 'inactive' end,
      case when hardware_id is not null then created end, case when platform is not null then name end
    from device`.execute(db)
  await sql`
    insert into service (account_id, device_id, id, name, application)
    select account_id, id, replace(id, '80:00', '80:01'), 'ssh', case when created < '2026-01-01 01:00Z' then 28 else 7 end
    from device`.execute(db)
  await sql`
    insert into attribute_override (account_id, target_id, context, attributes)
    select account_id, id, 'lab', jsonb_build_object('rack', 'r' || length(name) * 1000) from device
    where platform like 'platform 1%'`.execute(db)
  // Merge the pending lists of the indexes now. Otherwise, autovacuum could merge the lists during the tests, and the
  // costs of the plans would change.
  await sql`vacuum analyze`.execute(db)
}

async function middle(order: ReturnType<typeof readDeviceOrder>) {
  const { db } = database
  const page = { filter: {}, order, start: { offset: 8_000 }, limit: 1, attributes: false }
  const [row] = await selectDevicePage(db, ACCOUNT, page)
  const place = await findPlace(db, ACCOUNT, { order, id: row![0], inside: undefined })
  return databasePlace(order, place!)
}

describe.each([
  ['name', 'device_by_name'],
  ['id', 'device_pkey'],
  ['created', 'device_by_created'],
  ['hardwareId', 'device_by_hardware_id'],
  ['platform', 'device_by_platform'],
  ['state', 'device_live_by_state'],
  ['lastReported', 'device_live_by_last_reported'],
  ['$svc.statusA', 'device_live_by_status_a'],
])('a list sorted by %s', (sort, index) => {
  test.each(['asc', 'desc'])(
    'reads pages in %s order with the index, from the start and from a later position',
    async (direction) => {
      const order = readDeviceOrder(`${sort} ${direction}`, undefined)
      for (const start of [{ offset: 0 }, { after: await middle(order) }]) {
        const run: Parameters<ExplainedDatabase['planFor']>[0] = (db) =>
          selectDevicePage(db, ACCOUNT, { filter: {}, order, start, limit: 101, attributes: true })
        for (const plan of [await database.planFor(run), await database.genericPlanFor(run)]) {
          expect(plan).toMatchObject({ scanned: [], naturalSorts: [] })
          expect(plan.indexes).toContain(index)
        }
      }
    },
  )
})

describe('plans of prepared statements', () => {
  const name = readDeviceOrder('name', undefined)
  const lastReported = readDeviceOrder('lastReported desc', undefined)
  const page = (order: typeof name, start: DeviceStart, size: number) => (db: Database) =>
    selectDevicePage(db, ACCOUNT, { filter: {}, order, start, limit: size + 1, attributes: false })

  test.each<[string, (db: Database) => Promise<unknown>]>([
    ['a page of 10', page(name, { offset: 0 }, 10)],
    ['a page of 50', page(name, { offset: 0 }, 50)],
    ['a page of 1000', page(name, { offset: 0 }, 1000)],
    ['a page by a nullable key', page(lastReported, { offset: 0 }, 50)],
    ['a page after a position', page(name, { after: { key: 'node-77', id: '80:00:00:00:00:00:00:01' } }, 50)],
    [
      'a device',
      (db) => selectDevices(db, ACCOUNT, { ids: ['80:00:00:00:00:00:00:01'], attributes: true, inside: undefined }),
    ],
    [
      'a service',
      (db) => selectServices(db, ACCOUNT, { ids: ['80:01:00:00:00:00:00:01'], attributes: true, inside: undefined }),
    ],
  ])('are generic and cached after five executions of the statement for %s', async (_name, run) => {
    const { db } = database
    for (let times = 0; times < 8; times++) await run(db)
    const text = await database.textOf(run)
    const { rows } = await sql`select custom_plans::int, generic_plans > 0 as "isKept" from pg_prepared_statements
      where statement = ${text}`.execute(db)
    // PostgreSQL uses custom plans for the first five executions and then compares their cost with that of a generic
    // plan.
    expect(rows).toEqual([{ custom_plans: 5, isKept: true }])
  })
})

// Unless a page starts at an offset above 0, the inner LIMIT is one of a few constants. An outer LIMIT cuts the page.
test.each([
  'name',
  'name desc',
  'id',
  // A second branch of the statement reads the devices without a value, which come last.
  'lastReported',
  'lastReported desc',
])('returns the requested number of rows, sorted by %s', async (sort) => {
  const { db } = database
  const order = readDeviceOrder(sort, undefined)
  const idsFrom = async (start: DeviceStart, limit: number): Promise<string[]> => {
    const rows = await selectDevicePage(db, ACCOUNT, { filter: {}, order, start, limit, attributes: false })
    return rows.map(([id]) => id)
  }
  // The LIMIT of a page that starts at an offset above 0 is exact.
  const [first] = await idsFrom({ offset: 0 }, 1)
  const all = [first, ...(await idsFrom({ offset: 1 }, 20_000))]
  expect(new Set(all).size).toBe(20_000)
  for (const limit of [1, 2, 50, 51, 52, 101, 102, 251, 252, 1_001]) {
    expect(await idsFrom({ offset: 0 }, limit)).toEqual(all.slice(0, limit))
    // In the orders by lastReported, the 16,000 devices with a value come first. The positions 15,990 and 16,100 are
    // therefore on opposite sides of the first device without a value.
    for (const from of [8_000, 15_990, 16_100]) {
      const place = await findPlace(db, ACCOUNT, { order, id: all[from - 1]!, inside: undefined })
      const after = databasePlace(order, place!)
      expect(await idsFrom({ after }, limit)).toEqual(all.slice(from, from + limit))
    }
  }
})

test('reads only index entries for devices before the page', async () => {
  const order = readDeviceOrder('name', undefined)
  const plan = await database.planFor((db) =>
    selectDevicePage(db, ACCOUNT, { filter: {}, order, start: { offset: 15_000 }, limit: 101, attributes: true }),
  )
  expect(plan).toEqual({
    scanned: [],
    naturalSorts: [],
    indexes: ['device_by_name', 'device_live_pkey', 'device_pkey'],
  })
})

describe.each([
  ['name', 'device_by_name'],
  ['id', 'device_pkey'],
  ['created', 'device_by_created'],
  ['hardwareId', 'device_by_hardware_id'],
  ['state', 'device_live_by_state'],
  ['$svc.statusA', 'device_live_by_status_a'],
])('the second half of a list sorted by %s', (sort, index) => {
  test.each(['asc', 'desc'])(
    'is read in %s order from the end with the index, and has the same rows as when it is read from the start',
    async (direction) => {
      const order = readDeviceOrder(`${sort} ${direction}`, undefined)
      for (const offset of [10_001, 15_990, 16_010, 19_950, 20_000, 30_000]) {
        const page = { filter: {}, order, limit: 101, attributes: false }
        const near = await selectDevicePage(database.db, ACCOUNT, { ...page, start: { offset } })
        const far = await selectDevicePage(database.db, ACCOUNT, { ...page, start: { offset, fromEnd: true } })
        expect(far).toEqual(near)
        expect(far).toHaveLength(Math.max(0, Math.min(101, 20_000 - offset)))
      }
      const start = { offset: 15_000, fromEnd: true }
      const run: Parameters<ExplainedDatabase['planFor']>[0] = (db) =>
        selectDevicePage(db, ACCOUNT, { filter: {}, order, start, limit: 101, attributes: true })
      for (const plan of [await database.planFor(run), await database.genericPlanFor(run)]) {
        expect(withoutCountTable(plan)).toMatchObject({ scanned: [], naturalSorts: [] })
        expect(plan.indexes).toContain(index)
      }
    },
  )
})

/** Ignores scans of `device_count`, because this table is small. */
const withoutCountTable = ({ scanned, ...plan }: Plan): Plan => ({
  ...plan,
  scanned: scanned.filter((table) => table !== 'device_count'),
})

test('returns the devices from an offset, by name, in both halves of a list', async () => {
  const names = async (from: number): Promise<string[]> => {
    const context = {
      db: database.db,
      viewer: { accountId: ACCOUNT },
      firstRecord: 1,
      rowMeter: createRowMeter({ devices: 0, events: 0 }),
    } as Context
    const { items } = await listDevices(context, { from, size: 3 }, { attributes: false })
    return items.map(({ name }) => name)
  }
  const { rows } = await sql<{ name: string }>`
    select name from device where account_id = ${ACCOUNT} order by name collate natural_order, id`.execute(database.db)
  for (const from of [1, 9_000, 10_001, 12_000, 19_999, 20_001, 2 ** 31 - 1]) {
    expect(await names(from)).toEqual(rows.slice(from - 1, from + 2).map(({ name }) => name))
  }
})

test('reads the stored number of devices instead of counting them', async () => {
  const plan = await database.planFor((db) => countDevices(db, ACCOUNT, {}))
  expect([...plan.scanned, ...plan.indexes].filter((name) => !name.startsWith('device_count'))).toEqual([])
})

describe.each<[filter: DeviceFilterArguments, context: string | undefined, index: string]>([
  [{ name: 'ode-123' }, undefined, 'device_name_part'],
  [{ hardwareId: 'hw-12' }, undefined, 'device_hardware_id'],
  [{ platform: ['platform 7'] }, undefined, 'device_by_platform'],
  [{ state: 'active' }, undefined, 'device_live_by_state'],
  [{ id: ['80:00:00:00:00:00:00:01', '80:00:00:00:00:00:00:02'] }, undefined, 'device_pkey'],
  [{ application: [28] }, undefined, 'service_by_application'],
  [{ attributes: { rack: 'r5' } }, undefined, 'device_attributes'],
  [{ attributes: { '$svc.statusA': 'node-5' } }, undefined, 'device_live_by_status_a'],
  [{ attributes: { rack: 'r5' } }, 'lab', 'attribute_override_by_value'],
  [{ attributes: { rack: 'r5' } }, 'lab', 'device_attributes'],
  [{ attributes: { '$svc.statusA': 'node-5' } }, 'lab', 'device_live_by_status_a'],
])('a list filtered by %j in context %s', (args, context, index) => {
  test(`uses ${index} for the page and the total`, async () => {
    expect(rowsRead({ ...args, context }, { devices: 20_000, firstRecord: 1 }).page.reasons).toEqual([])
    const filter = readDeviceFilter(args, context)
    const order = readDeviceOrder('created desc', undefined)
    const page = { filter, order, start: { offset: 0 }, limit: 101, attributes: false }
    const plans = [
      await database.planFor((db) => selectDevicePage(db, ACCOUNT, page)),
      await database.planFor((db) => countDevices(db, ACCOUNT, filter)),
    ]
    for (const plan of plans) {
      expect(plan.scanned).toEqual([])
      expect(plan.indexes).toContain(index)
    }
  })
})

// A sort without an index reads every device. A filter without an index does so unless the page fills up first.
test.each<DeviceFilterArguments & { sort?: string; context?: string }>([
  { sort: 'rack' },
  { sort: '$svc.statusA', context: 'lab' },
  { name: 'q9' },
  { attributes: { rack: null } },
])('reads every device for %j, as estimated in advance', async (args) => {
  const reads = rowsRead(args, { devices: 20_000, firstRecord: 1 })
  expect(reads.page.rows).toBe(20_000)
  const filter = readDeviceFilter(args, args.context)
  const order = readDeviceOrder(args.sort, args.context)
  const page = { filter, order, start: { offset: 0 }, limit: 1, attributes: false as const }
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: ReadingNode }] }>`
    explain (analyze, format json) ${devicePageSql(ACCOUNT, page)}`.execute(database.db)
  expect(rowsReadBy(rows[0]!['QUERY PLAN'][0].Plan)).toBeGreaterThanOrEqual(20_000)
})

interface ReadingNode {
  'Relation Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: ReadingNode[]
}

function rowsReadBy(node: ReadingNode): number {
  const own =
    node['Relation Name'] === undefined
      ? 0
      : node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsReadBy(child), 0)
}
