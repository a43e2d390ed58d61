import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { eventsOf as deviceEventsOf, errorOf, newDevice, register } from '../../../../../test/api/devices.ts'
import { basic, post } from '../../../../../test/clients/http-device.ts'
import { whilePreviousReleaseRuns } from '../../../../../test/database/previous-release.ts'
import { addMember, newMember, type TestMember } from '../../../../../test/factories/member.ts'
import { seedDevices } from '../../../../../test/factories/seed-devices.ts'
import { done, setRole } from '../../../../../test/factories/team.ts'
import {
  moveDevices,
  newTwoAccounts,
  setAttributesOf,
  setRoleIn,
  transfer,
} from '../../../../../test/factories/transfers.ts'
import { sharedTestApp, type TestUser } from '../../../../../test/harness/app.ts'
import { movedTables } from './transfer.queries.ts'

const app = sharedTestApp()

let here: TestUser
let there: TestUser
let person: TestMember
beforeEach(async () => {
  ;({ here, there, person } = await newTwoAccounts(app))
})

const move = (ids: readonly string[], to: Pick<TestUser, 'accountId'> = there) => moveDevices(person, to, ids)
const setRoleThere = (roleId: string) => setRoleIn(app, there, person, roleId)
const set = setAttributesOf

async function rowsOf({ accountId }: TestUser): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const name of movedTables) {
    const { rows } = await sql<{ row: object }>`
      select to_jsonb(kept) - 'account_id' as row from ${sql.table(name)} kept
      where account_id = ${accountId} order by 1`.execute(app.db)
    found[name] = rows.map(({ row }) => row)
  }
  return found
}

const empty = Object.fromEntries(movedTables.map((name) => [name, []]))

it('moves every row of a device and its services', async () => {
  const { device, secret } = (
    await here.data(register, {
      name: 'gate',
      hardwareId: 'hw-1',
      platform: 'linux',
      services: [{ name: 'ssh', port: 22 }],
      attributes: { site: 'oslo', net: { ssid: 'lab' } },
    })
  ).registerDevice
  const service = device.services[0].id
  await set(here, device.id, { $svc: { categoryA: 'gates', statusB: 'up' } })
  await set(here, service, { user: 'root' })
  await set(here, device.id, { site: 'bergen' }, 'night')
  await set(here, service, { user: 'guest' }, 'night')
  const report = { state: 'active', ttl: 3_600, services: [{ id: service, state: 'active' }] }
  expect((await post(app, 'report', report, basic(device.id, secret))).status).toBe(200)

  const before = await rowsOf(here)
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])
  expect((await move([device.id])).data).toEqual({ transferDevices: 1 })
  expect(await rowsOf(there)).toEqual(before)
  expect(await rowsOf(here)).toEqual(empty)

  const totals = '{ login { deviceTotals { total active } devices { total } attributeNames { name } } }'
  const names = ['net.ssid', 'site', 'user'].map((name) => ({ name }))
  expect((await there.data(totals)).login).toEqual({
    deviceTotals: { total: 1, active: 1 },
    devices: { total: 1 },
    attributeNames: expect.arrayContaining(names),
  })
  expect((await here.data(totals)).login).toMatchObject({ devices: { total: 0 }, attributeNames: [] })
})

const untilBlocked = () =>
  expect
    .poll(
      async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db)
        return rows.length
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(0)

it('loses no change to a service that is committed during the move', async () => {
  const names = ['ssh', 'web', 'old']
  const services = names.map((name) => ({ name }))
  const { device } = (await here.data(register, { name: 'gate', services })).registerDevice
  const [ssh, web, old] = names.map((name) => device.services.find((each: { name: string }) => each.name === name).id)
  let moved: ReturnType<typeof move> | undefined
  await app.db.transaction().execute(async (transaction) => {
    await sql`update service set attributes = '{"user": "late"}' where id = ${ssh}`.execute(transaction)
    await sql`update service set name = 'web2' where id = ${web}`.execute(transaction)
    await sql`delete from service where id = ${old}`.execute(transaction)
    moved = move([device.id])
    await untilBlocked()
  })
  expect((await moved)?.data).toEqual({ transferDevices: 1 })
  const found = (await rowsOf(there)).service!.map((row) => row as { name: string; attributes: object })
  expect(found.map(({ name, attributes }) => [name, attributes])).toEqual(
    expect.arrayContaining([
      ['ssh', { user: 'late' }],
      ['web2', {}],
    ]),
  )
  expect(found).toHaveLength(2)
})

it('keeps every attribute that a concurrent request has set', async () => {
  for (let round = 0; round < 5; round++) {
    const { device } = (await here.data(register, { name: 'gate', services: [{ name: 'ssh' }] })).registerDevice
    const targets = [device.id, device.services[0].id]
    const names = Array.from({ length: 6 }, (_, index) => `n${index}`)
    const writes = targets.flatMap((id) =>
      names.map(async (name) => {
        const document =
          'mutation ($id: String!, $name: String!) { setAttribute(serviceId: $id, name: $name, value: "x") }'
        const { errors } = await here.query(document, { id, name })
        return errors === undefined ? [`${id} ${name}`] : []
      }),
    )
    const [{ data }, ...results] = await Promise.all([move([device.id]), ...writes])
    expect(data).toEqual({ transferDevices: 1 })
    const query = 'query ($id: [String!]!) { login { device(id: $id) { id attributes services { id attributes } } } }'
    const found = (await there.data(query, { id: [device.id] })).login.device[0]
    const kept = [found, ...found.services].flatMap(({ id, attributes }) =>
      Object.keys(attributes).map((name) => `${id} ${name}`),
    )
    expect(kept.toSorted()).toEqual(results.flat().toSorted())
  }
})

it('returns CONFLICT if the database ends a deadlock with another request', async () => {
  const [id] = await seedDevices(app.db, here.accountId, [{}])
  await sql`create function end_deadlock() returns trigger language plpgsql as
    $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`.execute(app.db)
  await sql`create trigger deadlock before insert on device_live execute function end_deadlock()`.execute(app.db)
  try {
    expect((await move([id!])).error).toEqual(['CONFLICT', undefined])
  } finally {
    await sql`drop function end_deadlock cascade`.execute(app.db)
  }
  expect((await move([id!])).data).toEqual({ transferDevices: 1 })
})

it('moves 1,000 devices, but none of them if one hardware ID is in use', async () => {
  const seeds = Array.from({ length: 1_000 }, (_, index) => ({
    name: `node-${index}`,
    hardwareId: `hw-${index}`,
    attributes: { site: `site-${index % 7}` },
    overrides: { night: { site: 'night' } },
  }))
  const ids = await seedDevices(app.db, here.accountId, seeds)
  const taken = await newDevice(there, 'taken', { hardwareId: 'hw-999' })
  const before = await rowsOf(here)
  const rejected = await move(ids)
  expect(rejected.error).toEqual(['CONFLICT', undefined])
  expect(await rowsOf(here)).toEqual(before)
  expect(await deviceEventsOf(there, ids[0]!)).toEqual([])

  await there.data(`mutation { deleteDevice(deviceId: "${taken}") }`)
  expect((await move(ids)).data).toEqual({ transferDevices: 1_000 })
  expect(await rowsOf(there)).toEqual(before)
  expect(await rowsOf(here)).toEqual(empty)
  const counts = '{ login { devices { total } events(types: [DEVICE_TRANSFER]) { total } } }'
  expect((await there.data(counts)).login).toEqual({ devices: { total: 1_000 }, events: { total: 1_000 } })
  expect((await here.data(counts)).login).toEqual({ devices: { total: 0 }, events: { total: 1_000 } })
  expect((await move([...ids, 'one more'])).error?.[0]).toBe('LIMIT_EXCEEDED')
})

it('moves devices to only one account when concurrent requests name different accounts', async () => {
  const third = await app.createUser()
  await addMember(app, { accountId: third.accountId, personId: person.id, roleId: 'owner' })
  const ids = await seedDevices(app.db, here.accountId, [{}, {}, {}])
  const responses = await Promise.all([there, third, there, third].map((to) => move(ids, to)))
  expect(responses.filter(({ error }) => error === undefined)).toHaveLength(1)
  expect(responses.flatMap(({ error }) => (error === undefined ? [] : [error[0]]))).toEqual(Array(3).fill('NOT_FOUND'))
  const counts = await Promise.all([there, third].map(rowsOf))
  expect(counts.map(({ device }) => device!.length).sort()).toEqual([0, 3])
})

it('requires a session and unrestricted roles in both accounts', async () => {
  const [id] = await seedDevices(app.db, here.accountId, [{ attributes: { site: 'oslo' } }])
  const [foreign] = await seedDevices(app.db, there.accountId, [{}])
  const attempts = async (expected: unknown, ids = [id!]) => expect((await move(ids)).error).toEqual(expected)
  const restricted = `mutation { createRole(name: "Oslo", access: {
    permissions: [DEVICE_READ, DEVICE_CREATE, DEVICE_DELETE], where: "attributes.site = oslo" }) { id } }`

  await attempts(['NOT_FOUND', undefined], [foreign!])
  await attempts(['NOT_FOUND', undefined], [id!, foreign!])
  await setRoleThere('viewer')
  await attempts(['FORBIDDEN', 'permission'])
  const ownerThere = await newMember(app, there.accountId, 'owner')
  await setRoleThere((await done(ownerThere, restricted)).createRole.id)
  await attempts(['FORBIDDEN', 'device'])
  await setRoleThere('operator')

  // The response does not show whether another account exists.
  const stranger = await app.createUser()
  const responses = [await move([id!], stranger), await move([id!], { ...stranger, accountId: 'invented' })]
  expect(responses[0]!.error).toEqual(['FORBIDDEN', 'not-a-member'])
  expect(responses[1]).toEqual(responses[0])
  expect((await move([id!], here)).error?.[0]).toBe('BAD_USER_INPUT')

  await app.db.updateTable('account').set({ sign_in_policy: 'SSO' }).where('id', '=', there.accountId).execute()
  await attempts(['FORBIDDEN', 'sign-in-required'])
  await app.db.updateTable('account').set({ sign_in_policy: 'ANY' }).where('id', '=', there.accountId).execute()

  const [code, message] = errorOf(await here.query(transfer, { to: there.accountId, ids: [id] }))
  expect([code, message]).toEqual(['FORBIDDEN', expect.stringContaining('signed-in')])

  const owner = await newMember(app, here.accountId, 'owner')
  await done(owner, setRole, { personId: person.id, roleId: 'operator' })
  await attempts(['FORBIDDEN', 'permission'])
  await done(owner, setRole, { personId: person.id, roleId: (await done(owner, restricted)).createRole.id })
  await attempts(['FORBIDDEN', 'device'])
  expect((await rowsOf(here)).device).toHaveLength(1)
})

it('rejects moves while a server of the previous release is running', async () => {
  const [id] = await seedDevices(app.db, here.accountId, [{}])
  await whilePreviousReleaseRuns(app, async () => {
    expect((await move([id!])).error?.[0]).toBe('UNAVAILABLE')
  })
  expect((await move([id!])).data).toEqual({ transferDevices: 1 })
})
