import { checkFilter } from '@muster/filter'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { seedDevices } from '../../../test/factories/seed-devices.ts'
import { deviceFilter, fleet, now } from '../../../test/filters/arbitraries.ts'
import { type ModelDevice, type ModelTimes, matches } from '../../../test/filters/model.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { BULK_SERVICE } from '../services/application-types.ts'

/**
 * The minimum number of pairs of a fleet and a filter to generate. The test skips pairs with an invalid filter. A long
 * run sets MUSTER_TEST_FILTERS, for example to 10000.
 */
const PAIRS = Number(process.env.MUSTER_TEST_FILTERS ?? 600)
const FILTERS = Math.min(PAIRS, 150)
const FLEETS = Math.ceil(PAIRS / FILTERS)

/** The time when the server began to record the times of values. Older times count as this time. */
const timesSince = now - 3 * 86_400_000
const intervals = { site: 86_400, 'net.ssid': 3_600 }

const app = sharedTestApp()
beforeAll(async () => {
  await sql`update attribute_times_start set since = ${new Date(timesSince)}`.execute(app.db)
})

const instant = fc.integer({ min: -4 * 24, max: 24 }).map((hours) => now + hours * 3_600_000)
const times: fc.Arbitrary<ModelTimes> = fc.dictionary(
  fc.constantFrom('site', 'load', 'net.ssid', 'net', '$svc.statusA'),
  fc.oneof(
    instant,
    fc.tuple(instant, fc.nat({ max: 48 })).map(([changed, hours]) => [changed, changed + hours * 3_600_000] as const),
  ),
)

const onTimes = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('site', 'load', 'net.ssid', 'statusA'),
      fc.constantFrom('<', '<=', '>', '>='),
      fc.constantFrom('12h', '1d', '36h', '2d', '90s'),
    )
    .map(([name, operator, duration]) => `age(${name}) ${operator} ${duration}`),
  fc
    .tuple(
      fc.constantFrom('site', 'load', 'net', '"net.ssid"'),
      fc.constantFrom('<', '<=', '>', '>='),
      fc.constantFrom('-1d', 'now', '2026-11-19', '2026-11-19T18:00:00Z'),
    )
    .map(([name, operator, time]) => `changed(${name}) ${operator} ${time}`),
  fc.constantFrom('changed(site) = 2026-11-19', 'stale(site)', 'stale(net.ssid)', 'NOT stale(site)', 'stale(load)'),
)
const filter = fc.oneof(
  { weight: 5, arbitrary: deviceFilter },
  { weight: 1, arbitrary: onTimes },
  {
    weight: 1,
    arbitrary: fc
      .tuple(deviceFilter, fc.constantFrom('AND', 'OR'), onTimes)
      .map(([one, operator, other]) => `(${one}) ${operator} (${other})`),
  },
)

const withTimes = (device: ModelDevice): fc.Arbitrary<ModelDevice> =>
  fc.tuple(times, times).map(([base, night]) => ({ ...device, times: base, overrideTimes: { night } }))

async function insertTimes(user: TestUser, devices: readonly ModelDevice[]): Promise<void> {
  const rows = JSON.stringify(
    devices.map(({ id, times, overrideTimes }) => ({ id, times, night: overrideTimes?.night })),
  )
  const seed = sql`jsonb_to_recordset(${rows}::jsonb) as row (id text, times jsonb, night jsonb)`
  const { accountId } = user
  await sql`update device t set attribute_times = times - '$svc.statusA' from ${seed}
    where t.account_id = ${accountId} and t.id = row.id`.execute(app.db)
  await sql`update device_live t set attribute_times = times from ${seed}
    where t.account_id = ${accountId} and t.device_id = row.id`.execute(app.db)
  await sql`update attribute_override t set attribute_times = night from ${seed}
    where t.account_id = ${accountId} and t.target_id = row.id`.execute(app.db)
  for (const [name, seconds] of Object.entries(intervals)) {
    await user.data(
      'mutation ($name: String!, $seconds: Int) { setExpectedInterval(name: $name, seconds: $seconds) { name } }',
      { name, seconds },
    )
  }
}

async function insert(user: TestUser, devices: readonly ModelDevice[]): Promise<void> {
  await seedDevices(
    app.db,
    user.accountId,
    devices.map(({ attributes: { $svc, ...attributes }, created, lastReported, state, ...rest }) => ({
      ...rest,
      attributes,
      statusA: typeof $svc === 'object' ? ($svc.statusA ?? null) : null,
      created: new Date(created),
      lastReported: lastReported === null ? null : new Date(lastReported),
      state: state as 'active' | 'inactive',
    })),
  )
  const services = devices.flatMap((device) => device.services.map((service) => ({ ...service, device: device.id })))
  await sql`
    with seed as (
      select * from jsonb_to_recordset(${JSON.stringify(services)}::jsonb) as row (id text, device text, name text,
        application int, host text, port int, enabled boolean, state text, attributes jsonb)
    ), new_service as (
      insert into service (account_id, device_id, id, name, application, host, port, enabled, attributes)
      select ${user.accountId}, device, id, name, application, host, port, enabled, attributes from seed
      union all
      select account_id, id, id, 'bulk', ${BULK_SERVICE}, null, null, true, '{}' from device where account_id = ${user.accountId}
    )
    insert into service_live (account_id, service_id, device_id, state, state_since, last_reported)
    select ${user.accountId}, id, device, state, now(), now() from seed where state is not null`.execute(app.db)
}

const document = `query ($where: String, $not: String, $canonical: String, $context: String, $now: DateTime) { login {
  found: devices(where: $where, context: $context, now: $now, size: 1000) { items { id } total }
  others: devices(where: $not, context: $context, now: $now, size: 1000) { items { id } total }
  same: devices(where: $canonical, context: $context, now: $now, size: 1000) { items { id } } } }`

test('finds the same devices as a simple evaluation, and all other devices with NOT', {
  timeout: PAIRS * 1_000,
}, async () => {
  let compared = 0
  let matched = 0
  const timed = fleet.chain((devices) => fc.tuple(...devices.map(withTimes)))
  for (const devices of fc.sample(timed, FLEETS)) {
    const user = await app.createUser()
    await insert(user, devices)
    await insertTimes(user, devices)
    const ids = new Set(devices.map(({ id }) => id))
    for (const [where, isInContext] of fc.sample(fc.tuple(filter, fc.boolean()), FILTERS)) {
      const context = isInContext ? 'night' : undefined
      const { filter: resolved, isValid, canonical } = checkFilter(where)
      if (!isValid) continue
      compared++
      const expected = devices
        .filter((device) => matches(resolved, device, { context, now, timesSince, intervals }))
        .map(({ id }) => id)
      const not = `NOT (${where})`
      const { login } = await user.data(document, { where, not, canonical, context, now: new Date(now).toISOString() })
      const found = login.found.items.map(({ id }: { id: string }) => id)
      matched += found.length
      const others = login.others.items.map(({ id }: { id: string }) => id)
      expect(found.toSorted(), where).toEqual(expected.toSorted())
      expect(login.same.items, canonical!).toEqual(login.found.items)
      expect(new Set([...found, ...others]), where).toEqual(ids)
      expect([login.found.total, login.others.total], where).toEqual([found.length, ids.size - found.length])
    }
  }
  if (process.env.MUSTER_TEST_FILTERS !== undefined)
    console.log(`${compared} filters compared on ${FLEETS} fleets, ${matched} devices found`)
  expect(compared).toBeGreaterThan((FLEETS * FILTERS) / 2)
})
