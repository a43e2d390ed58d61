import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keyOf, sendAsUser } from '../../test/factories/keys.ts'
import { seedDevices } from '../../test/factories/seed-devices.ts'
import { sharedTestApp, type TestUser } from '../../test/harness/app.ts'

/** Enough devices that reading all of them costs 5 points. */
const DEVICES = 10_000
const QUOTA = 1_000

/** The clock advances only when a test advances it, so points are refilled only then. */
const clock = { now: 0 }
const app = sharedTestApp({
  elapsed: () => clock.now,
  env: { MUSTER_KEY_POINTS: String(QUOTA), MUSTER_KEY_POINTS_PER_SECOND: '1' },
})
let user: TestUser
beforeAll(async () => {
  user = await app.createUser()
  const devices = Array.from({ length: DEVICES / 2 }, () => ({ attributes: { rack: '1' } }))
  await seedDevices(app.db, user.accountId, devices)
  await seedDevices(app.db, user.accountId, devices)
  // Count the names now. Otherwise, the first test that uses an attribute name would also pay for the counting.
  await user.data('{ login { attributeNames { name } } }')
})
beforeEach(() => {
  clock.now += QUOTA * 1_000
})

const left = (headers: Headers): number => Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])

async function costOf(document: string, variables?: Record<string, unknown>): Promise<number> {
  const { cost, errors } = await chargeOf(user, document, variables)
  expect(errors).toBe(undefined)
  return cost
}

async function chargeOf(caller: TestUser, document: string, variables?: Record<string, unknown>) {
  const before = left((await caller.query('{ login { id } }')).headers)
  const { headers, errors } = await caller.query(document, variables)
  return { cost: before - left(headers) - 1, errors }
}

describe('a field that reads more devices than it returns', () => {
  test.each([
    ['a page sorted by an attribute', '{ login { devices(size: 1, sort: "rack desc") { items { id } } } }', 5],
    ['its total', '{ login { devices(size: 1, state: "active") { total } } }', 5],
    ['both', '{ login { devices(size: 1, attributes: { site: null }) { total items { id } } } }', 10],
    ['each alias', '{ login { a: devices(size: 1, sort: "x") { last } b: devices(size: 1, sort: "y") { last } } }', 10],
    ['each alias of total', '{ login { devices(size: 1, state: "active") { a: total b: total c: total } } }', 15],
    ['a page far from the start', '{ login { devices(size: 1, state: "inactive", from: 8001) { last } } }', 4],
    ['a filter without an index', '{ login { devices(size: 1, where: "attributes.rack:2") { last } } }', 5],
    [
      'its page in an order without an index',
      '{ login { devices(size: 1, sort: "rack", where: "rack:1") { last } } }',
      5,
    ],
    ['facets', '{ login { facets(by: ["state"]) { total } } }', 5],
    ['totals of devices', '{ login { deviceTotals { total } } }', 5],
  ])('costs a point for each 2,000 devices: %s', async (_what, document, points) => {
    expect(await costOf(document)).toBe(points)
  })

  test.each([
    ['a page by name', '{ login { devices(size: 1) { items { id } } } }'],
    ['a page by an index', '{ login { devices(size: 1, sort: "created desc", state: "active") { items { id } } } }'],
    ['the total of all devices', '{ login { devices(size: 1, sort: "name") { total } } }'],
    ['devices by ID', '{ login { devices(size: 1, id: ["80:00:00:00:00:00:00:01"], sort: "rack") { total } } }'],
    ['a page by a filter with an index', '{ login { devices(size: 1, where: "attributes.rack = 1") { last } } }'],
    ['a page that the first devices fill', '{ login { devices(size: 1, where: "attributes.rack:1") { last } } }'],
    ['a check of a filter', '{ login { checkFilter(where: "name:a") { canonical } } }'],
    ['counts of few events', '{ login { eventCounts { count } } }'],
    ['a list of few events', '{ login { events(size: 1, types: [DEVICE_STATE]) { total } } }'],
  ])('costs nothing extra if it reads few or no additional rows: %s', async (_what, document) => {
    expect(await costOf(document)).toBe(0)
  })

  test('costs 4 points for completions', async () => {
    const completions = '{ login { checkFilter(where: "platform = ", cursor: 11) { completions { text } } } }'
    expect(1 + (await costOf(completions))).toBe(5)
  })

  test('is charged if a mutation returns it, such as the number of stale devices', async () => {
    const set = (fields: string): string => `mutation { setExpectedInterval(name: "rack", seconds: 60) { ${fields} } }`
    const ofChange = await costOf(set('seconds'))
    expect(await costOf(set('stale'))).toBe(ofChange + 5)
    expect(await costOf('{ login { freshness { seconds } } }')).toBe(0)
    expect(await costOf('{ login { freshness { stale } } }')).toBe(5)
  })

  test('is charged according to the values of variables', async () => {
    const document = 'query ($sort: String) { login { devices(size: 1, sort: $sort) { last } } }'
    expect(await costOf(document, { sort: 'rack' })).toBe(5)
    expect(await costOf(document, { sort: 'name' })).toBe(0)
  })

  test('is refunded if the operation skips it', async () => {
    const document = `query ($runs: Boolean!) { login {
      devices(size: 1, sort: "rack") @include(if: $runs) { last } } }`
    expect(await costOf(document, { runs: true })).toBe(5)
    expect(await costOf(document, { runs: false })).toBe(0)
  })

  test('is rejected before execution if too few points are left', async () => {
    const { errors } = await poor('{ login { devices(size: 1, sort: "rack") { total } } }')
    expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }])
    expect(errors?.[0]?.message).toContain('5 more points')
  })
})

describe('a field that may read every device to apply the restriction of a key', () => {
  let restricted: TestUser
  beforeAll(async () => {
    restricted = await keyOf(app, sendAsUser(user), 'access: { where: "rack:1" }')
  })

  test.each([
    ['the total', '{ login { devices(size: 1) { total } } }', 5],
    ['a page that the first devices fill', '{ login { devices(size: 1) { last } } }', 0],
    ['a page that they do not fill', '{ login { devices(size: 1, where: "attributes.rack:2") { last } } }', 5],
    ['services', '{ login { services(size: 1) { last } } }', 5],
    ['a check of a filter', '{ login { checkFilter(where: "rack = 1") { points } } }', 0],
    ['suggestions', '{ login { checkFilter(where: "rakk = 1") { points } } }', 5],
    ['completions of names', '{ login { checkFilter(where: "ra", cursor: 2) { completions { text } } } }', 5],
    ['completions of values', '{ login { checkFilter(where: "name = ", cursor: 7) { completions { text } } } }', 5],
  ])('costs a point for each 2,000 devices that it reads: %s', async (_what, document, points) => {
    expect(await chargeOf(restricted, document)).toEqual({ cost: points, errors: undefined })
  })

  test('is charged if it reads them for the suggestion in an error', async () => {
    const { cost, errors } = await chargeOf(restricted, '{ login { devices(where: "rakk = 1") { last } } }')
    expect(cost).toBe(5)
    expect(errors?.[0]?.message).toContain('Did you mean "rack"?')
  })
})

async function poor(document: string) {
  const items = (count: number) => Array.from({ length: count }, (_, i) => ({ serviceId: `none ${i}`, attributes: {} }))
  const spend = 'mutation ($items: [AttributesInput!]!) { setAttributesMany(items: $items) { code } }'
  const rest = (): Promise<number> => user.query('{ login { id } }').then(({ headers }) => left(headers))
  for (let points = await rest(); points > 5; points = await rest()) {
    const count = Math.max(1, Math.min(900, Math.floor(((points - 5) * 10) / 1.2)))
    await user.query(spend, { items: items(count) })
  }
  return user.query(document)
}

describe('a document with many fields that read every device', () => {
  const hostile = (aliases: number): string => {
    const attributes = Array.from({ length: 200 }, (_, index) => `n${index}: null`).join(' ')
    const fields = Array.from(
      { length: aliases },
      (_, index) =>
        `a${index}: devices(attributes: $none, context: "c", sort: "x.y desc", size: 1) { total items { id } }`,
    )
    return `query ($none: Object = { ${attributes} }) { login {\n${fields.join('\n')}\n} }`
  }

  test('is rejected with an error that names the field and its position', async () => {
    const large = await otherUser()
    const { status, errors } = await large.query(hostile(15))
    expect(status).toBe(413)
    expect(errors).toMatchObject([
      {
        message: expect.stringMatching(/at most 10 fields .* found 30: login\.a5 at line 7, column 1/),
        extensions: { code: 'LIMIT_EXCEEDED', limit: 10, found: 30 },
      },
    ])
  })

  test('costs a point for each of these fields even if it is rejected', async () => {
    const large = await otherUser()
    const before = left((await large.query('{ login { id } }')).headers)
    const { headers } = await large.query(hostile(15))
    expect(before - left(headers)).toBe(1 + 30)
  })

  test('runs up to the limit, and is charged in full', async () => {
    const large = await otherUser()
    const before = left((await large.query('{ login { id } }')).headers)
    const { errors, headers } = await large.query(hostile(5))
    expect(errors).toBe(undefined)
    expect(before - left(headers)).toBe(1 + 5 * 10)
  })

  test('runs for an account with few devices', async () => {
    const small = await app.createUser()
    expect((await small.query(hostile(15))).errors).toBe(undefined)
  })
})

/** Creates another user with the same number of devices and a full quota. */
async function otherUser(): Promise<TestUser> {
  const other = await app.createUser()
  const devices = Array.from({ length: DEVICES / 2 }, () => ({ attributes: { rack: '1' } }))
  await seedDevices(app.db, other.accountId, devices)
  await seedDevices(app.db, other.accountId, devices)
  return other
}

test('charges attribute names for the rows that counting reads, and charges nothing while the counts are current', async () => {
  const other = await otherUser()
  const document = '{ login { attributeNames { name } } }'
  const points: number[] = []
  let before = left((await other.query('{ login { id } }')).headers)
  for (let time = 0; time < 3; time++) {
    const now = left((await other.query(document)).headers)
    points.push(before - now - 1)
    before = now
  }
  expect(points).toEqual([5, 0, 0])
})

test('charges the attribute history of each device for the events that its filter may skip', async () => {
  const other = await app.createUser()
  const ids = await seedDevices(
    app.db,
    other.accountId,
    Array.from({ length: 10 }, () => ({ attributes: { site: 'oslo' } })),
  )
  await sql`
    insert into event (account_id, type, device_id, targets, data)
    select ${other.accountId}, 'ATTRIBUTE_CHANGE', ${ids[0]}, jsonb_build_array(jsonb_build_object('id', ${ids[0]}::text)),
      '{"context": null, "changes": {"site": {"old": null, "new": "oslo"}}}'
    from generate_series(1, 6000)`.execute(app.db)
  const pointsOf = async (fields: string): Promise<number> => {
    const before = left((await other.query('{ login { id } }')).headers)
    const document = `query ($ids: [String!]!) { login { device(id: $ids) { ${fields} } } }`
    const { headers, errors } = await other.query(document, { ids })
    expect(errors).toBe(undefined)
    return before - left(headers) - 1
  }
  // Between the changes to a device, the server also reads events of other types and events of services.
  expect(await pointsOf('attributeHistory(size: 1) { items { name } }')).toBe(2)
  for (const filter of ['name: "rack"', 'context: "night"', 'maxDate: "2020-01-01T00:00:00Z"'])
    expect(await pointsOf(`attributeHistory(size: 1, ${filter}) { items { name } }`)).toBe(2)
  expect(await pointsOf('attributeHistory(size: 1) { total }')).toBe(5)
  expect(await pointsOf('attributeInfo { value }')).toBe(0)
  // A value's time is stored, unless the value was written before the server recorded times.
  expect(await pointsOf('attributeInfo { changed }')).toBe(0)
  await sql`update device set created = '2020-01-01' where account_id = ${other.accountId}`.execute(app.db)
  expect(await pointsOf('attributeInfo { changed }')).toBe(2)
})

test('charges the use of access keys for the keys and days that it reads', async () => {
  const other = await app.createUser()
  for (let count = 1; count < 4; count++) await other.data('mutation { createAccessKey(name: "x") { key } }')
  await sql`update account set key_use_since = '2020-01-01' where id = ${other.accountId}`.execute(app.db)
  await sql`update access_key set created = '2020-01-01' where account_id = ${other.accountId}`.execute(app.db)
  const pointsOf = async (fields: string): Promise<number> => {
    const before = left((await other.query('{ login { id } }')).headers)
    const { headers, errors } = await other.query(`{ login { ${fields} } }`)
    expect(errors).toBe(undefined)
    return before - left(headers) - 1
  }
  // The charge is for ten fields on each of 400 days, for each of four keys.
  expect(await pointsOf('accessKeys { unused(days: 400) }')).toBe(8)
  const one = `accessKeys(key: ["${other.keyId}"])`
  expect(await pointsOf(`${one} { unused(days: 400) usage(days: 400) { field } }`)).toBe(2)
  expect(await pointsOf(`${one} { unused(days: 30) }`)).toBe(0)
})

test('charges a simulation for the document and for counting devices', async () => {
  const document = 'query ($document: String) { login { simulate(access: {}, document: $document) { allowed } } }'
  expect(await costOf(document)).toBe(0)
  expect(await costOf(document, { document: '{ login { id } }'.padEnd(20_000) })).toBe(10)
  expect(await costOf('{ login { simulate(access: {}) { devices } } }')).toBe(5)
})

test('charges the needs of a document by the length of the document', async () => {
  const document = 'query ($document: String!) { login { needs(document: $document) { field } } }'
  const plain = '{ login { id } }'
  expect(await costOf(document, { document: plain })).toBe(0)
  expect(await costOf(document, { document: plain.padEnd(20_000) })).toBe(10)
})
