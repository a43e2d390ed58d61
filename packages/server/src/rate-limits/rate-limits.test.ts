import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newPerson, signIn } from '../../test/clients/browser.ts'
import { openStream, until } from '../../test/clients/event-stream.ts'
import { registerDevice } from '../../test/clients/mqtt-device.ts'
import { restClient } from '../../test/clients/rest.ts'
import { sharedTestApp, type TestApp, type TestUser, testUser } from '../../test/harness/app.ts'
import { limits } from '../limits.ts'

/** The clock advances only when a test advances it, so points are refilled only then. */
const clock = { now: 0 }
const options = {
  elapsed: () => clock.now,
  sharesRateLimits: true,
  env: {
    MUSTER_KEY_POINTS: '1000',
    MUSTER_KEY_POINTS_PER_SECOND: '10',
    MUSTER_ADDRESS_POINTS: '100',
    MUSTER_ADDRESS_POINTS_PER_SECOND: '5',
  },
}

const app = sharedTestApp(options)
let other: TestApp
beforeAll(async () => {
  other = await app.startAnother(options)
})
afterAll(() => other.close())

const small = '{ login { id } }'
/** The response to this query could contain up to 101,002 objects, but contains only 2. */
const large = '{ login { devices(size: 1000) { items { services { id } } } } }'

/** Each request costs 100 points: 1 for itself, 90 for its 900 items, and 9 for the 900 objects in the response. */
async function spendPoints({ data }: TestUser, points: 100 | 900): Promise<void> {
  const items = Array.from({ length: 900 }, (_, index) => ({ serviceId: `none ${index}`, attributes: {} }))
  const document = 'mutation ($items: [AttributesInput!]!) { setAttributesMany(items: $items) { code } }'
  for (let spent = 0; spent < points; spent += 100) await data(document, { items })
}

const left = (headers: Headers): number => Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])

describe('the points of a user', () => {
  test('are reported in responses, and are refunded for objects that are not returned', async () => {
    const { query } = await app.createUser()
    const first = await query(small)
    expect(first.headers.get('ratelimit-policy')).toBe('"user";q=1000;w=100')
    expect(first.headers.get('ratelimit')).toBe('"user";r=999;t=1')
    expect(left((await query('{ login { devices(size: 1000) { items { id } } } }')).headers)).toBe(998)
    const wrong = await query('{ login { nothing } }')
    expect([wrong.status, left(wrong.headers)]).toEqual([400, 997])
    const failed = await query('mutation { deleteDevice(deviceId: "80:00:00:00:00:00:00:00") }')
    expect([failed.errors?.[0]?.extensions.code, left(failed.headers)]).toEqual(['NOT_FOUND', 995])
  })

  test('are not refunded if a field fails, because other fields may have read objects', async () => {
    const { query } = await app.createUser()
    const document = `query ($id: [String!]!) { login { device(id: $id) { id } devices(size: 1000) { items { id } } } }`
    const found = await query(document, { id: ['80:00:00:00:00:00:00:00'] })
    expect([found.status, found.errors, left(found.headers)]).toEqual([200, undefined, 999])
    const failed = await query(document, { id: Array(1_001).fill('80:00:00:00:00:00:00:00') })
    expect(failed.errors).toMatchObject([{ path: ['login', 'device'], extensions: { code: 'LIMIT_EXCEEDED' } }])
    expect(failed.data).toEqual({ login: null })
    expect(left(failed.headers)).toBeLessThanOrEqual(998 - 10)
  })

  test('are charged by the length of a rejected request', async () => {
    const user = await app.createUser()
    const wrong = `{ nothing } # ${'x'.repeat(9_000)}`
    const rejected = await user.query(wrong)
    expect([rejected.errors?.[0]?.extensions.code, left(rejected.headers)]).toEqual(['BAD_USER_INPUT', 990])
    const stream = await openStream({ app, user, query: wrong })
    await stream.ended
    expect(left((await user.query(small)).headers)).toBe(979)
    const given = await restClient(app.url, user)('POST', '/devices', { body: { nothing: 'x'.repeat(5_000) } })
    expect([given.status, left(given.headers)]).toEqual([400, 973])
    // The server charges for the length of a request only if it rejects the request.
    expect(left((await user.query(`{ login { id } } # ${'x'.repeat(9_000)}`)).headers)).toBe(972)
  })

  test('are charged for each hundred events of a stream', async () => {
    const user = await app.createUser()
    const { id } = await registerDevice(user)
    const { login } = await user.data('{ login { events(size: 1) { items { id } } } }')
    const items = Array.from({ length: 100 }, (_, index) => ({ serviceId: id, attributes: { [`n${index}`]: 'x' } }))
    await user.data('mutation ($items: [AttributesInput!]!) { setAttributesMany(items: $items) { code } }', { items })
    const before = left((await user.query(small)).headers)
    const query = 'subscription ($after: ID) { events(after: $after) { id } }'
    const stream = await openStream({ app, user, query, variables: { after: login.events.items[0].id } })
    await until(() => stream.messages.length === 100)
    // This request and the stream request cost one point each, and the 100 events together cost one point.
    expect(left((await user.query(small)).headers)).toBe(before - 3)
    stream.cut()
  })

  test('are spent according to the cost of the operation, and are refilled over time', async () => {
    const user = await app.createUser()
    await spendPoints(user, 900)
    const page = '{ login { devices(size: 200) { items { services { id } } } } }'
    const rejected = await user.query(page)
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '11'])
    expect(rejected.headers.get('ratelimit')).toMatch(/^"user";r=\d+;t=11$/)
    expect(rejected.errors).toMatchObject([
      {
        message: expect.stringMatching(
          /^this request costs 202 more points, .* retry in 11 seconds, or request less data$/,
        ),
        extensions: { code: 'RATE_LIMITED', retryAfter: 11 },
      },
    ])
    expect(left((await user.query(small)).headers)).toBe(99)
    clock.now += 11_000
    const { status, headers } = await user.query(page)
    expect([status, left(headers)]).toEqual([200, 208])
  })

  test('are charged for the request first, and then for its data', async () => {
    const user = await app.createUser()
    await spendPoints(user, 900)
    await user.query(`{ nothing } # ${'x'.repeat(98_000)}`)
    const messageOf = async (document: string) => (await user.query(document)).errors?.[0]?.message
    const remove = 'mutation { deleteDevice(deviceId: "80:00:00:00:00:00:00:00") }'
    expect(await messageOf(remove)).toMatch(/^this request costs 1 more point, .* has 0 of .* or request less data$/)
    await user.query(small)
    expect(await messageOf(small)).toMatch(/^this request costs 1 point, .* retry in 1 second$/)
  })

  test('are all charged for an operation that can cost more than the capacity', async () => {
    const [user, another] = [await app.createUser(), await app.createUser()]
    const { status, headers } = await user.query(large)
    expect([status, left(headers)]).toEqual([200, 999])
    expect((await user.query(large)).headers.get('retry-after')).toBe('1')
    clock.now += 100
    expect((await user.query(large)).status).toBe(200)
    expect((await another.query(large)).status).toBe(200)
  })

  test('are shared by GraphQL, REST, and subscriptions', async () => {
    const user = await app.createUser()
    const rest = restClient(app.url, user)
    const response = await rest('GET', '/user')
    expect([response.status, left(response.headers)]).toEqual([200, 999])
    const given = { app, user, query: 'subscription { events { id } }' }
    const stream = await openStream(given)
    expect([stream.status, stream.headers.ratelimit]).toEqual([200, '"user";r=998;t=1'])
    stream.cut()
    await spendPoints(user, 900)
    // Spend the remaining 98 points.
    for (let point = 0; point < 98; point++) await rest('GET', '/user')

    const rejected = await rest('GET', '/user')
    expect([rejected.status, rejected.code, rejected.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '1'])
    const rejectedStream = await openStream(given)
    expect([rejectedStream.status, rejectedStream.headers['retry-after']]).toEqual([429, '1'])
    const byGet = await rest('GET', '/devices')
    expect([byGet.status, byGet.code]).toEqual([429, 'RATE_LIMITED'])
  })

  test('are charged for downloads through a link of the user', async () => {
    const user = await app.createUser()
    const { login } = await user.data('{ login { eventsUrl } }')
    const download = () => fetch(login.eventsUrl)
    const first = await download()
    expect([first.status, first.headers.get('ratelimit')]).toEqual([200, '"user";r=988;t=1'])
    await first.text()
    await spendPoints(user, 900)
    for (let points = 88; points >= 11; points -= 11) await (await download()).text()
    expect((await download()).status).toBe(429)
  })

  test('are shared by all servers that use the same database', async () => {
    const user = await app.createUser()
    const onOther = other.as(user)
    // Advance the clock, because the other server may receive the address's spending from previous tests late.
    await vi.waitFor(
      async () => {
        clock.now += 60_000
        expect(left((await onOther.query(small)).headers)).toBe(999)
      },
      { timeout: 60_000, interval: 100 },
    )
    await spendPoints(user, 900)
    // Each poll costs only one point, so polls alone would not spend enough points before the timeout.
    const expectReported = async () => expect(left((await onOther.query(small)).headers)).toBeLessThan(100)
    await vi.waitFor(expectReported, { timeout: 60_000, interval: 100 })
  })
})

test("shares one budget among a user's access keys", async () => {
  clock.now += 60_000
  const user = await app.createUser()
  const { data } = user
  const keys = [user]
  while (keys.length < limits.accessKeys) {
    const { createAccessKey } = await data('mutation { createAccessKey { key secret } }')
    keys.push(testUser(app.url, { ...user, keyId: createAccessKey.key, secret: createAccessKey.secret }))
  }
  // The creation of each of the nine keys cost two points.
  let spent = 18
  for (const { query } of keys) expect(left((await query(small)).headers)).toBe(1_000 - ++spent)
  await spendPoints(user, 900)
  const statuses: number[] = []
  for (let round = 0; round < 10; round++) for (const { query } of keys) statuses.push((await query(small)).status)
  const allowed = statuses.filter((status) => status === 200).length
  expect(allowed).toBe(1_000 - spent - 900)
  expect(statuses.filter((status) => status === 429)).toHaveLength(100 - allowed)
  const another = await user.query('mutation { createAccessKey { key } }')
  expect([another.status, another.headers.get('ratelimit')]).toEqual([429, '"user";r=0;t=1'])
  clock.now += 60_000
  for (const { query } of keys) expect((await query(small)).status).toBe(200)
})

test("shares one budget among a user's console sessions", async () => {
  const person = await newPerson(app)
  const [first, second] = [await signIn(app, person), await signIn(app, person)]
  const response = await first.query(small)
  expect(response.headers.get('ratelimit')).toBe('"user";r=999;t=1')
  expect((await second.query(small)).headers.get('ratelimit')).toBe('"user";r=998;t=1')
  expect((await second.auth('/get-session')).headers.get('ratelimit')).toBe('"user";r=997;t=1')
})
