import { checkFilter } from '@muster/filter'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { seedDevices } from '../../../test/factories/seed-devices.ts'
import { deviceFilter, fleet, now } from '../../../test/filters/arbitraries.ts'
import { type ModelDevice, matches } from '../../../test/filters/model.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { BULK_SERVICE } from '../services/application-types.ts'

/** The number of pairs of a fleet and a filter to test. A long run sets MUSTER_TEST_FILTERS, for example to 10000. */
const PAIRS = Number(process.env.MUSTER_TEST_FILTERS ?? 600)
const FILTERS = Math.min(PAIRS, 150)
const FLEETS = Math.ceil(PAIRS / FILTERS)

const app = sharedTestApp()

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
  for (const devices of fc.sample(fleet, FLEETS)) {
    const user = await app.createUser()
    await insert(user, devices)
    const ids = new Set(devices.map(({ id }) => id))
    for (const [where, isInContext] of fc.sample(fc.tuple(deviceFilter, fc.boolean()), FILTERS)) {
      const context = isInContext ? 'night' : undefined
      const { filter, isValid, canonical } = checkFilter(where)
      if (!isValid) continue
      compared++
      const expected = devices.filter((device) => matches(filter, device, { context, now })).map(({ id }) => id)
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
