import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { WALKED } from '../devices/list/device-list.queries.ts'

/** The number of the last device in the zone `early`. The devices in the zone `late` are at the end of the list. */
const LATE = WALKED - 5_000

const app = sharedTestApp({ env: { MUSTER_KEY_POINTS: '1000000' } })
beforeAll(async () => {
  const { accountId } = app.owner
  await sql`
    insert into device (account_id, id, name, platform, attributes)
    select ${accountId}, '80:00:00:00:00:' || lpad(to_hex(i / 65536), 2, '0') || ':' || lpad(to_hex(i / 256 % 256), 2, '0') || ':' || lpad(to_hex(i % 256), 2, '0'),
      'node-' || lpad(i::text, 6, '0'), case when i % 2 = 0 then 'p' || i end,
      jsonb_build_object('load', i::text, 'note', 'note ' || i,
        'side', case when i % 2 = 0 then 'even' else 'odd' end, 'zone', case when i > ${LATE}::int then 'late' else 'early' end)
    from generate_series(1, ${WALKED + 5}::int) as i`.execute(app.db)
  await sql`insert into device_live (account_id, device_id, last_reported)
    select account_id, id, case when right(name, 1) > '4' then created end from device`.execute(app.db)
  await sql`analyze`.execute(app.db)
})

const document = `query (
  $where: String, $name: String, $attributes: Object, $sort: String, $after: ID, $from: Int, $size: Int
) { login {
  devices(where: $where, name: $name, attributes: $attributes, sort: $sort, after: $after, from: $from, size: $size) { items { name } total hasMore cursor } } }`

const page = async (variables: Record<string, unknown>) => {
  const { login } = await app.owner.data(document, variables)
  return { ...login.devices, names: login.devices.items.map(({ name }: { name: string }) => name) }
}

test('finds a match beyond the devices that one statement reads', async () => {
  const last = `node-0${WALKED + 1}`
  for (const sort of ['name', 'id', 'created', 'platform', 'state', 'lastReported', 'load', '$svc.statusA'])
    expect((await page({ where: `note:"note ${WALKED + 1}"`, sort })).names, sort).toEqual([last])
  expect((await page({ where: 'note:"note 1"', sort: 'name desc', size: 1000 })).names).toHaveLength(1000)
})

test.each([
  { filter: { where: 'zone:late' }, first: LATE + 1 },
  { filter: { where: 'zone = late' }, first: LATE + 1 },
  { filter: { attributes: { zone: 'late' } }, first: LATE + 1 },
  { filter: { name: `node-0${LATE / 10}` }, first: LATE },
])('returns the matches of $filter, which are far from the beginning of the list, in order', async (listed) => {
  const { filter, first } = listed
  const names = (numbers: number[]): string[] => numbers.map((number) => `node-0${first + number}`)
  const start = await page({ ...filter, size: 3 })
  expect(start.names).toEqual(names([0, 1, 2]))
  const next = await page({ ...filter, size: 3, after: start.cursor })
  expect(next.names).toEqual(names([3, 4, 5]))
  expect((await page({ ...filter, size: 3, from: 4 })).names).toEqual(next.names)
})

test('returns the last matches of a filter, both far from the end of the list and at its end', async () => {
  // Each name is a prefix of the names of up to ten consecutive devices.
  for (const [name, last] of [
    [`node-0${LATE / 10}`, LATE + 9],
    [`node-0${WALKED / 10}`, WALKED + 5],
  ] as const) {
    const first = await page({ name, size: 2 })
    const rest = await page({ name, size: 20, after: first.cursor })
    expect([...first.names, ...rest.names].at(-1)).toBe(`node-0${last}`)
    expect(rest.hasMore).toBe(false)
    const { names } = await page({ name, size: 20 })
    expect([...first.names, ...rest.names]).toEqual(names)
  }
})

test.each([{ where: 'zone:none' }, { where: 'zone = none' }, { attributes: { zone: 'none' } }, { name: 'none' }])(
  'returns an empty page if no device matches %j',
  async (filter) => {
    expect((await page(filter)).names).toEqual([])
  },
)

test.each(['name', 'name desc', 'platform desc', 'lastReported', 'id desc', 'load'])(
  'pages through the matches of a filter without an index, by %s',
  async (sort) => {
    const where = 'note:"0"'
    const { total } = await page({ where, size: 1 })
    const seen: string[] = []
    let cursor: string | undefined
    for (;;) {
      const next = await page({ where, sort, size: 1000, after: cursor })
      seen.push(...next.names)
      if (!next.hasMore) break
      cursor = next.cursor
    }
    expect(new Set(seen).size).toBe(total)
    expect(seen).toHaveLength(total)
    const skipped = await page({ where, sort, size: 5, from: total - 2 })
    expect(skipped.names).toEqual(seen.slice(-3))
    const middle = await page({ where, sort, size: 5, from: 1001 })
    expect(middle.names).toEqual(seen.slice(1000, 1005))
  },
)

test.each(['name', 'name desc', 'id', 'lastReported', 'state desc'])(
  'pages through the matches of a filter with an index, wherever they are in the list, by %s',
  async (sort) => {
    for (const [where, isMatch] of [
      ['zone = late', (i) => i > LATE],
      ['side = even', (i) => i % 2 === 0],
      ['side = even AND zone = late AND note:"7"', (i) => i % 2 === 0 && i > LATE && `${i}`.includes('7')],
    ] as [string, (i: number) => boolean][]) {
      const matches = Array.from({ length: WALKED + 5 }, (_, index) => index + 1).filter(isMatch)
      const expected = matches.map((i) => `node-${String(i).padStart(6, '0')}`)
      const seen: string[] = []
      let next = await page({ where, sort, size: 5 })
      expect(next.total).toBe(expected.length)
      for (;;) {
        seen.push(...next.names)
        if (!next.hasMore) break
        next = await page({ where, sort, size: 1000, after: next.cursor })
      }
      expect(seen.toSorted(), where).toEqual(expected)
      if (sort === 'name') expect(seen).toEqual(expected)
      for (const [from, size] of [
        [1, 1000],
        [4, 20],
        [expected.length - 2, 10],
      ] as const)
        expect((await page({ where, sort, from, size })).names).toEqual(seen.slice(from - 1, from - 1 + size))
    }
  },
)

test('finds services beyond the devices that one statement reads, and pages through them', async () => {
  const { accountId } = app.owner
  await sql`
    insert into service (account_id, device_id, id, name, application, port, host)
    select account_id, id, '80:ff' || substr(id, 6), 'web ' || right(name, 1), 7, 80, 'host ' || name
    from device where account_id = ${accountId} and (right(name, 1) = '7' or name in ('node-020001', 'node-020004'))`.execute(
    app.db,
  )
  await sql`analyze service`.execute(app.db)
  const list = `query ($where: String, $sortBy: [String!], $after: ID, $size: Int) { login {
    services(where: $where, sortBy: $sortBy, after: $after, size: $size) { items { host device { name } } total hasMore cursor } } }`
  const services = async (variables: Record<string, unknown>) => {
    const { login } = await app.owner.data(list, variables)
    const { items, ...rest } = login.services
    return { ...rest, names: items.map((item: { device: { name: string } }) => item.device.name) }
  }
  expect((await services({ where: 'host:20001' })).names).toEqual(['node-020001'])
  for (const sortBy of [undefined, ['-device.name', 'name'], ['name', 'device.name']]) {
    const seen: string[] = []
    let after: string | undefined
    for (;;) {
      const next = await services({ where: 'host:"node-0"', sortBy, size: 900, after })
      seen.push(...next.names)
      if (!next.hasMore) break
      after = next.cursor
    }
    expect(seen).toHaveLength(2_002)
    const inOrder = seen.toSorted()
    if (sortBy === undefined) expect(seen).toEqual(inOrder)
    if (sortBy?.[0] === '-device.name') expect(seen).toEqual(inOrder.reverse())
    expect(new Set(seen).size).toBe(2_002)
  }
})
