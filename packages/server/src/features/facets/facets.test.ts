import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createUserWithDevices } from '../../../test/api/device-lists.ts'
import { seedDevices } from '../../../test/factories/seed-devices.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { repeatUntilFast } from '../../../test/harness/repeat-until-fast.ts'

const app = sharedTestApp()

const document = `query ($by: [String!]!, $where: String, $context: String, $size: Int, $interval: FacetInterval) { login {
  facets(by: $by, where: $where, context: $context, size: $size, interval: $interval) {
    name buckets { value count active where } missing missingActive other otherActive distinct total } } }`

interface Facet {
  name: string
  buckets: { value: string; count: number; active: number; where: string }[]
  missing: number
  missingActive: number
  other: number
  otherActive: number
  distinct: number
  total: number
}

const facets = async (user: TestUser, variables: Record<string, unknown>): Promise<Facet[]> =>
  (await user.data(document, variables)).login.facets

const counts = ({ buckets }: Facet): [string, number, number][] =>
  buckets.map(({ value, count, active }) => [value, count, active])

async function createFleet(): Promise<TestUser> {
  const { user, ids } = await createUserWithDevices(app, [
    { name: 'a', attributes: { site: 'oslo', net: { ssid: 'lab' } }, state: 'active', platform: 'linux' },
    { name: 'b', attributes: { site: 'oslo' }, overrides: { night: { site: 'rome' } } },
    { name: 'c', attributes: { site: 'A1' }, state: 'active', created: new Date('2026-02-03T10:00:00Z') },
    { name: 'd', attributes: { site: 'a01' }, created: new Date('2026-02-03T11:00:00Z') },
    { name: 'e', created: new Date('2026-02-04T00:00:00Z'), statusA: 'up', lastReported: new Date() },
  ])
  await sql`insert into service (account_id, device_id, id, name, application, port)
    select ${user.accountId}, device, id, 'service', application, port
    from unnest(${[ids[0], ids[0], ids[0], ids[1], ids[2]]}::text[], ${['s1', 's2', 's3', 's4', 's5']}::text[],
      ${[28, 28, 7, 28, 35]}::int[], ${[22, 22, 80, 22, null]}::int[]) as new (device, id, application, port)`.execute(
    app.db,
  )
  return user
}

describe('facets', () => {
  test('count devices by value, most frequent first, and distinguish values with the same sort key', async () => {
    const user = await createFleet()
    const [site, platform] = await facets(user, { by: ['site', 'platform'] })
    expect(site).toEqual({
      name: 'site',
      buckets: [
        { value: 'oslo', count: 2, active: 1, where: 'site = oslo' },
        { value: 'A1', count: 1, active: 1, where: 'site = A1' },
        { value: 'a01', count: 1, active: 0, where: 'site = a01' },
      ],
      missing: 1,
      missingActive: 0,
      other: 0,
      otherActive: 0,
      distinct: 3,
      total: 5,
    })
    expect(platform).toMatchObject({ buckets: [{ value: 'linux', count: 1 }], missing: 4, missingActive: 1, total: 5 })
  })

  test('report the number of devices whose values have no bucket', async () => {
    const user = await createFleet()
    const [site] = await facets(user, { by: ['site'], size: 1 })
    expect(site).toMatchObject({ buckets: [{ value: 'oslo' }], other: 2, otherActive: 1, missing: 1, distinct: 3 })
  })

  test('count values in a context, and count only the matching devices', async () => {
    const user = await createFleet()
    expect(counts((await facets(user, { by: ['site'], context: 'night' }))[0]!)).toEqual([
      ['A1', 1, 1],
      ['a01', 1, 0],
      ['oslo', 1, 1],
      ['rome', 1, 0],
    ])
    const [state] = await facets(user, { by: ['state'], where: 'site = oslo' })
    expect(state).toMatchObject({
      total: 2,
      buckets: [
        { value: 'active', count: 1 },
        { value: 'inactive', count: 1 },
      ],
    })
  })

  test('count times by interval', async () => {
    const user = await createFleet()
    const where = 'created < 2026-03-01'
    const [days] = await facets(user, { by: ['created'], where })
    expect(counts(days!)).toEqual([
      ['2026-02-03T00:00:00Z', 2, 1],
      ['2026-02-04T00:00:00Z', 1, 0],
    ])
    const [weeks] = await facets(user, { by: ['created'], where, interval: 'WEEK' })
    expect(counts(weeks!)).toEqual([['2026-02-02T00:00:00Z', 3, 1]])
    const [months] = await facets(user, { by: ['created'], where, interval: 'MONTH' })
    expect(months!.buckets[0]!.where).toBe('created >= 2026-02-01T00:00:00Z AND created < 2026-03-01T00:00:00Z')
  })

  test('count a device once for each value of its services and contexts', async () => {
    const user = await createFleet()
    const [port, application, contexts] = await facets(user, {
      by: ['services.port', 'services.application', 'contexts'],
    })
    expect(port).toMatchObject({ missing: 3, missingActive: 1, total: 5, distinct: 2 })
    expect(counts(port!)).toEqual([
      ['22', 2, 1],
      ['80', 1, 1],
    ])
    expect(port!.buckets[0]!.where).toBe('services.port = 22')
    expect(counts(application!)).toEqual([
      ['28', 2, 1],
      ['7', 1, 1],
    ])
    expect(contexts).toMatchObject({ buckets: [{ value: 'night', count: 1 }], missing: 4 })
  })

  test('count the titles, protocols, and contexts of services', async () => {
    const user = await createFleet()
    await sql`insert into attribute_override (account_id, target_id, context, attributes)
      select ${user.accountId}, target, 'night', '{"lane":"1"}' from unnest(array['s1', 's2', 's4']) as new (target)`.execute(
      app.db,
    )
    const by = ['services.title', 'services.protocol', 'services.contexts']
    const found = await facets(user, { by })
    expect(found.map(counts)).toEqual([
      [
        ['SSH', 2, 1],
        ['HTTP', 1, 1],
      ],
      [['tcp', 2, 1]],
      [['night', 2, 1]],
    ])
    expect(found.map(({ missing }) => missing)).toEqual([3, 3, 3])
    const list = 'query ($where: String) { login { devices(where: $where) { total } } }'
    for (const { where, count } of found.flatMap(({ buckets }) => buckets))
      expect((await user.data(list, { where })).login.devices.total, where).toBe(count)
  })

  test('return a condition that finds the devices of each bucket', async () => {
    const user = await createFleet()
    const by = [
      'name',
      'state',
      'online',
      'created',
      'lastReported',
      'statusA',
      '$svc.statusA',
      'attributes.site',
      'net.ssid',
    ]
    const list = 'query ($where: String) { login { devices(where: $where) { total } } }'
    // `by` can contain at most eight names.
    const found = [...(await facets(user, { by: by.slice(0, 8) })), ...(await facets(user, { by: by.slice(8) }))]
    for (const facet of found) {
      for (const { where, count } of facet.buckets) {
        expect((await user.data(list, { where })).login.devices.total, where).toBe(count)
      }
    }
  })

  test('count values by their first 200 characters, and a group as a missing value', async () => {
    const long = 'x*'.repeat(100)
    const emoji = '🏭'.repeat(150)
    const { user } = await createUserWithDevices(app, [
      { name: 'a', attributes: { note: `${long}1` } },
      { name: 'b', attributes: { note: `${long}2` }, state: 'active' },
      { name: 'c', attributes: { note: 'x*"\\' } },
      { name: 'd', attributes: { note: { part: 'y' } }, created: new Date('2026-02-03T10:59:59Z') },
      { name: 'e', created: new Date('2026-02-03T11:00:00Z') },
      { name: 'f', attributes: { note: emoji }, created: new Date('2026-04-03T11:00:00Z') },
    ])
    const [note, part] = await facets(user, { by: ['note', 'note.part'] })
    expect(counts(note!)).toEqual([
      [long, 2, 1],
      ['x*"\\', 1, 0],
      [emoji, 1, 0],
    ])
    expect(note!.buckets[2]!.where).toBe(`note = "${emoji}"`)
    expect(note).toMatchObject({ missing: 2, other: 0, distinct: 3, total: 6 })
    expect(part).toMatchObject({ missing: 5, buckets: [{ value: 'y', count: 1 }] })
    const list = 'query ($where: String) { login { devices(where: $where) { total } } }'
    for (const { where, count } of note!.buckets)
      expect((await user.data(list, { where })).login.devices.total, where).toBe(count)
    const [hours] = await facets(user, { by: ['created'], where: 'created < 2026-03-01', interval: 'HOUR' })
    expect(hours!.buckets.map(({ value }) => value)).toEqual(['2026-02-03T10:00:00Z', '2026-02-03T11:00:00Z'])
  })

  test('reject unknown names, groups, and more than 8 names', async () => {
    const user = await createFleet()
    const error = async (variables: Record<string, unknown>): Promise<[string, string]> => {
      const { errors } = await user.query(document, variables)
      return [errors![0]!.extensions.code, errors![0]!.message]
    }
    expect(await error({ by: ['sitte'] })).toEqual(['BAD_USER_INPUT', expect.stringContaining('Did you mean "site"?')])
    expect(await error({ by: ['net'] })).toEqual(['BAD_USER_INPUT', expect.stringContaining('such as net.x')])
    expect(await error({ by: ['$svc'] })).toEqual(['BAD_USER_INPUT', expect.stringContaining('such as $svc.statusA')])
    expect((await error({ by: Array(9).fill('site') }))[0]).toBe('LIMIT_EXCEEDED')
    expect((await error({ by: ['site'], size: 101 }))[0]).toBe('BAD_USER_INPUT')
    expect((await error({ by: ['site'], where: 'x =' }))[0]).toBe('BAD_USER_INPUT')
  })

  test('have counts that add up to the total while devices change', async () => {
    const user = await createFleet()
    const { accountId } = user
    let isDone = false
    const writing = (async () => {
      for (let number = 0; !isDone; number++) {
        const site = `site ${number % 7}`
        await sql`update device set attributes = jsonb_build_object('site', ${site}::text)
          where account_id = ${accountId} and id = (select id from device where account_id = ${accountId} order by random() limit 1)`.execute(
          app.db,
        )
        await sql`insert into device (account_id, id, name) values (${accountId}, ${`x${number}`}, 'x')`.execute(app.db)
        await sql`insert into device_live (account_id, device_id, state) values (${accountId}, ${`x${number}`}, 'active')`.execute(
          app.db,
        )
      }
    })()
    try {
      for (let round = 0; round < 20; round++) {
        const [site, state] = await facets(user, { by: ['site', 'state'], size: 3 + round })
        for (const { buckets, other, missing, total } of [site!, state!])
          expect(buckets.reduce((sum, { count }) => sum + count, other + missing)).toBe(total)
        const active = state!.buckets.find(({ value }) => value === 'active')?.count ?? 0
        expect(
          site!.buckets.reduce((sum, bucket) => sum + bucket.active, site!.otherActive + site!.missingActive),
        ).toBe(active)
      }
    } finally {
      isDone = true
      await writing
    }
  })
})

test('counts once for identical requests within 10 seconds, even if they are concurrent', async () => {
  const other = await app.createUser()
  await seedDevices(app.db, other.accountId, [{ name: 'x', attributes: { site: 'x' } }])
  const request = { by: ['site'], where: 'site:* AND created < +1d' }
  const { user, responses } = await repeatUntilFast(9_000, async () => {
    const user = await createFleet()
    const responses = await Promise.all(Array.from({ length: 5 }, () => facets(user, request)))
    await sql`update device set attributes = '{"site":"new"}' where account_id = ${user.accountId} and name = 'c'`.execute(
      app.db,
    )
    return { user, responses: [...responses, await facets(user, request)] }
  })
  expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1)
  // The server counts again for requests that differ in the size, the filter, the context, the names, or the user.
  for (const change of [{ size: 5 }, { where: 'site:*' }, { context: 'day' }, { by: ['site', 'name'] }])
    expect(counts((await facets(user, { ...request, ...change }))[0]!), JSON.stringify(change)).toContainEqual([
      'new',
      1,
      1,
    ])
  expect(counts((await facets(other, request))[0]!)).toEqual([['x', 1, 0]])
})

test('counts the matching devices in deviceTotals', async () => {
  const user = await createFleet()
  const totals = async (where: string | null): Promise<unknown> => {
    const { login } = await user.data(
      'query ($where: String) { login { deviceTotals(where: $where) { total active inactive neverReported } } }',
      { where },
    )
    return login.deviceTotals
  }
  expect(await totals(null)).toEqual({ total: 5, active: 2, inactive: 3, neverReported: 4 })
  expect(await totals('site = oslo')).toEqual({ total: 2, active: 1, inactive: 1, neverReported: 2 })
  expect(await totals('NOT site:*')).toEqual({ total: 1, active: 0, inactive: 1, neverReported: 0 })
})
