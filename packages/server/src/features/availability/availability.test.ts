import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { seedDevices } from '../../../test/factories/seed-devices.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { createEventPartition } from '../../db/event-partitions.ts'
import { samplePresence } from './presence-samples.jobs.ts'

const app = sharedTestApp()
beforeAll(async () => {
  for (const month of ['2026-05-01', '2026-06-01']) await createEventPartition(app.db, new Date(month))
})

const minute = (count: number): Date => new Date(Date.parse('2026-05-31T00:00:00Z') + count * 60_000)

describe('the availability of a device', () => {
  interface Change {
    at: Date
    state: 'active' | 'inactive'
  }

  async function deviceWith(changes: readonly Change[], state: 'active' | 'inactive'): Promise<[TestUser, string]> {
    const user = await app.createUser()
    const [id] = await seedDevices(app.db, user.accountId, [{ name: 'pump', created: minute(0), state }])
    await sql`delete from event where account_id = ${user.accountId}`.execute(app.db)
    const events = [{ at: minute(0), state: null }, ...changes]
    await sql`insert into event (account_id, "timestamp", type, device_id, targets, state, data)
      select ${user.accountId}, at, case when state is null then 'DEVICE_REGISTER' else 'DEVICE_STATE' end, ${id}, '[]', state, '{}'
      from unnest(${events.map(({ at }) => at)}::timestamptz[], ${events.map((each) => each.state)}::text[])
        with ordinality as event (at, state, number) order by number`.execute(app.db)
    return [user, id!]
  }

  const availability = async ([user, id]: [TestUser, string], from: Date, until: Date) => {
    const document = `query ($id: [String!]!, $from: DateTime!, $until: DateTime) { login { device(id: $id) {
      availability(from: $from, until: $until) {
        from until share onlineSeconds outages longestOutage segments { from until state } } } } }`
    const { login } = await user.data(document, { id: [id], from, until })
    return login.device[0].availability
  }

  const segments = (...entries: [number, number, string][]) =>
    entries.map(([from, until, state]) => ({
      from: minute(from).toISOString(),
      until: minute(until).toISOString(),
      state,
    }))

  it('agrees with the events across months, and starts at the registration', async () => {
    const device = await deviceWith(
      [
        { at: minute(60), state: 'active' },
        { at: minute(1_500), state: 'inactive' },
        { at: minute(1_530), state: 'active' },
        { at: minute(2_000), state: 'inactive' },
      ],
      'inactive',
    )
    expect(await availability(device, minute(-600), minute(2_100))).toEqual({
      from: minute(0).toISOString(),
      until: minute(2_100).toISOString(),
      share: (1_440 + 470) / 2_100,
      onlineSeconds: (1_440 + 470) * 60,
      outages: 2,
      longestOutage: 100 * 60,
      segments: segments(
        [0, 60, 'inactive'],
        [60, 1_500, 'active'],
        [1_500, 1_530, 'inactive'],
        [1_530, 2_000, 'active'],
        [2_000, 2_100, 'inactive'],
      ),
    })
    // The state at the start of the time span comes from the last change before the time span.
    const part = await availability(device, minute(1_510), minute(1_520))
    expect(part).toMatchObject({ share: 0, outages: 0, segments: segments([1_510, 1_520, 'inactive']) })
    expect(await availability(device, minute(100), minute(200))).toMatchObject({ share: 1, longestOutage: 0 })
    expect(await availability(device, minute(-20), minute(-10))).toMatchObject({ share: 0, segments: [] })
  })

  it('is 0 for a device that was never online', async () => {
    const found = await availability(await deviceWith([], 'inactive'), minute(0), minute(60))
    expect(found).toMatchObject({ share: 0, onlineSeconds: 0, outages: 0, segments: segments([0, 60, 'inactive']) })
  })

  it('does not count the future', async () => {
    const [now, hour] = [Date.now(), 3_600_000]
    const from = new Date(now - hour)
    const device = await deviceWith([{ at: minute(60), state: 'active' }], 'active')
    const found = await availability(device, from, new Date(now + 24 * hour))
    const until = Date.parse(found.until)
    expect(until).toBeGreaterThanOrEqual(now)
    expect(until).toBeLessThanOrEqual(Date.now())
    expect(found).toMatchObject({ share: 1, onlineSeconds: Math.round((until - from.getTime()) / 1000) })
    expect(found.segments).toEqual([{ from: from.toISOString(), until: found.until, state: 'active' }])
    const later = new Date(now + hour)
    expect(await availability(device, later, new Date(now + 2 * hour))).toMatchObject({
      ...{ from: later.toISOString(), until: later.toISOString() },
      ...{ share: 0, onlineSeconds: 0, outages: 0, longestOutage: 0, segments: [] },
    })
  })

  it('joins neighboring short segments if there are many, but counts every outage', async () => {
    const changes = Array.from({ length: 2_400 }, (_, index): Change => {
      const state = index % 2 === 0 ? 'active' : 'inactive'
      return { at: minute(1 + index + (index > 1_200 ? 300 : 0)), state }
    })
    const found = await availability(await deviceWith(changes, 'inactive'), minute(0), minute(3_000))
    expect(found.outages).toBe(1_200)
    expect(found.onlineSeconds).toBe((1_199 + 301) * 60)
    expect(found.segments.length).toBeLessThanOrEqual(1_000)
    expect(found.segments[0].from).toBe(found.from)
    expect(found.segments.at(-1).until).toBe(found.until)
    for (const [index, { from }] of found.segments.slice(1).entries()) expect(from).toBe(found.segments[index].until)
    expect(new Set(found.segments.map(({ state }: { state: string }) => state))).toEqual(
      new Set(['active', 'inactive', 'mixed']),
    )
  })

  it('rejects an empty time span and a span of more than 400 days', async () => {
    const [user, id] = await deviceWith([], 'inactive')
    const attempt = async (from: string, until: string) => {
      const document = `{ login { presence(from: "${from}", until: "${until}") { at }
        device(id: "${id}") { availability(from: "${from}", until: "${until}") { share } } } }`
      return (await user.query(document)).errors?.map(({ message, extensions }) => [extensions?.code, message])
    }
    const empty = ['BAD_USER_INPUT', expect.stringMatching(/^from must be before until/)]
    expect(await attempt('2026-05-01T00:00:00Z', '2026-05-01T00:00:00Z')).toEqual([empty, empty])
    const long = ['BAD_USER_INPUT', 'from and until must be at most 400 days apart']
    expect(await attempt('2025-05-01T00:00:00Z', '2026-07-01T00:00:00Z')).toEqual([long, long])
  })
})

describe('the presence samples of an account', () => {
  const presence = async (user: TestUser, from: Date, until: Date) => {
    const document = `query ($from: DateTime!, $until: DateTime) { login {
      presence(from: $from, until: $until) { at devices online minOnline } } }`
    return (await user.data(document, { from, until })).login.presence
  }
  const setOnline = (user: TestUser, count: number) =>
    sql`update device_live l set state = case when rank <= ${count} then 'active' else 'inactive' end
      from (select device_id, row_number() over (order by device_id) as rank from device_live
        where account_id = ${user.accountId}) as ranked
      where l.account_id = ${user.accountId} and l.device_id = ranked.device_id`.execute(app.db)

  it('are taken once for every account with devices, even if several servers take samples', async () => {
    const [user, other, empty] = [await app.createUser(), await app.createUser(), await app.createUser()]
    await seedDevices(app.db, user.accountId, [{ name: 'a', state: 'active' }, { name: 'b' }, { name: 'c' }])
    await seedDevices(app.db, other.accountId, [{ name: 'd' }])
    await Promise.all([1, 2, 3].map(() => samplePresence(app.db, minute(7))))
    const point = { at: minute(5).toISOString(), devices: 3, online: 1, minOnline: 1 }
    expect(await presence(user, minute(0), minute(10))).toEqual([point])
    expect(await presence(other, minute(0), minute(10))).toEqual([{ ...point, devices: 1, online: 0, minOnline: 0 }])
    expect(await presence(empty, minute(0), minute(10))).toEqual([])
    expect(await presence(user, minute(0), minute(5))).toEqual([])
  })

  it('are combined into hourly samples after two days, and are deleted after 400 days', async () => {
    const user = await app.createUser()
    await seedDevices(
      app.db,
      user.accountId,
      Array.from({ length: 4 }, (_, index) => ({ name: `n${index}` })),
    )
    for (const [at, online] of [
      [0, 4],
      [30, 1],
      [55, 4],
      [60, 2],
    ] as const) {
      await setOnline(user, online)
      await samplePresence(app.db, minute(at))
    }
    const twoDays = 2 * 1_440
    await samplePresence(app.db, minute(twoDays + 70))
    expect(await presence(user, minute(0), minute(70))).toEqual([
      { at: minute(0).toISOString(), devices: 4, online: 3, minOnline: 1 },
      { at: minute(60).toISOString(), devices: 4, online: 2, minOnline: 2 },
    ])
    // Old samples are deleted even if the account no longer has devices.
    const { login } = await user.data('{ login { devices(size: 4) { items { id } } } }')
    for (const { id } of login.devices.items)
      await user.data(`mutation { deleteDevice(deviceId: "${id}", force: true) }`)
    await samplePresence(app.db, minute(400 * 1_440 + 30))
    expect(await presence(user, minute(0), minute(70))).toHaveLength(2)
    await samplePresence(app.db, minute(400 * 1_440 + 61))
    expect(await presence(user, minute(0), minute(70))).toHaveLength(1)
  })

  it('are limited to 1,000 points for time spans from 1 to 399 days', async () => {
    const user = await app.createUser()
    await sql`insert into presence_sample (account_id, minutes, at, devices, online, min_online)
      select ${user.accountId}, minutes, at, 10, 5, 3 from (
        select 5 as minutes, generate_series(now() - interval '2 days', now(), interval '5 minutes') as at
        union all select 60, generate_series(now() - interval '399 days', now() - interval '2 days', interval '1 hour')
      ) as sample`.execute(app.db)
    for (const days of [1, 2, 10, 18, 30, 90, 399]) {
      const points = await presence(user, new Date(Date.now() - days * 86_400_000), new Date())
      expect(points.length).toBeLessThanOrEqual(1_000)
      expect(points.length).toBeGreaterThan(200)
      expect(points[0]).toMatchObject({ devices: 10, online: 5, minOnline: 3 })
    }
  })
})
