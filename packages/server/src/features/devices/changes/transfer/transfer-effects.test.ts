import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { eventsOf as deviceEventsOf, newDevice, register } from '../../../../../test/api/devices.ts'
import { eventsOf, openTestStream, until } from '../../../../../test/clients/event-stream.ts'
import { basic, post } from '../../../../../test/clients/http-device.ts'
import { connectMqtt, nextEvent, registerDevice } from '../../../../../test/clients/mqtt-device.ts'
import { keyOf, sendAsUser } from '../../../../../test/factories/keys.ts'
import type { TestMember } from '../../../../../test/factories/member.ts'
import { ask } from '../../../../../test/factories/team.ts'
import {
  inAccount,
  moveDevices,
  newTwoAccounts,
  setAttributesOf as set,
  setRoleIn,
  transfer,
} from '../../../../../test/factories/transfers.ts'
import { sharedTestApp, type TestUser } from '../../../../../test/harness/app.ts'

/** The grace period of disconnected devices, in seconds. */
const HOLD = 2

const app = sharedTestApp({ mqtt: true, env: { MUSTER_PRESENCE_HOLD: String(HOLD) } })

let here: TestUser
let there: TestUser
let person: TestMember
beforeEach(async () => {
  ;({ here, there, person } = await newTwoAccounts(app))
})

const move = (ids: readonly string[]) => moveDevices(person, there, ids)
const moveBack = async (ids: readonly string[]) => {
  await setRoleIn(app, there, person, 'admin')
  return moveDevices(inAccount(person, there), here, ids)
}

const typesOf = async (user: TestUser, id: string): Promise<string[]> => {
  const { login } = await user.data(
    'query ($id: [String!]) { login { events(deviceId: $id) { items { type state } } } }',
    { id: [id] },
  )
  const items: { type: string; state: string | null }[] = login.events.items
  return items.map(({ type, state }) => (state === null ? type : `${type} ${state}`)).toReversed()
}

const stateOf = async (user: TestUser, id: string) =>
  (await user.data('query ($id: [String!]!) { login { device(id: $id) { state } } }', { id: [id] })).login.device[0]
    ?.state

describe('a connected device that moves', () => {
  const url = () => `mqtt://127.0.0.1:${app.mqttPort}`
  const untilState = (user: TestUser, id: string, state: string) =>
    expect.poll(() => stateOf(user, id), { timeout: 60_000 }).toBe(state)

  it('becomes inactive first, keeps its secret, and connects again', async () => {
    const device = await registerDevice(here)
    const { addService } = await here.data(`mutation { addService(deviceId: "${device.id}", name: "ssh") { id } }`)
    const client = await connectMqtt(url(), device)
    const closed = nextEvent(client, 'close')
    await untilState(here, device.id, 'active')
    const topic = `devices/${device.id}/services/${addService.id}/state`
    await client.publishAsync(topic, 'inactive', { qos: 1 })
    await client.publishAsync(topic, 'active', { qos: 1 })
    await move([device.id])
    expect(await stateOf(there, device.id)).toBe('inactive')
    await closed
    expect((await typesOf(here, device.id)).slice(2)).toEqual([
      'DEVICE_STATE active',
      'SERVICE_STATE inactive',
      'SERVICE_STATE active',
      'DEVICE_STATE inactive',
      'SERVICE_STATE inactive',
      'DEVICE_TRANSFER',
    ])
    await connectMqtt(url(), device)
    await untilState(there, device.id, 'active')
    expect((await post(app, 'report', { state: 'active' }, basic(device.id, device.secret))).status).toBe(200)
    expect(await typesOf(there, device.id)).toEqual(['DEVICE_TRANSFER inactive', 'DEVICE_STATE active'])
  })

  it('becomes inactive after a later disconnection, if it connected again within the grace period', async () => {
    const device = await registerDevice(here)
    const closed = nextEvent(await connectMqtt(url(), device), 'close')
    await untilState(here, device.id, 'active')
    await move([device.id])
    await closed
    const client = await connectMqtt(url(), device)
    await untilState(there, device.id, 'active')
    // Wait until the grace period after the first disconnection has ended.
    await setTimeout(HOLD * 1_000 + 500)
    expect(await stateOf(there, device.id)).toBe('active')
    client.end(true)
    await untilState(there, device.id, 'inactive')
    expect(await typesOf(there, device.id)).toEqual([
      'DEVICE_TRANSFER inactive',
      'DEVICE_STATE active',
      'DEVICE_STATE inactive',
    ])
  })
})

it('leaves earlier events in the first account, and adds an event in each account', async () => {
  const id = await newDevice(here, 'gate', { attributes: { site: 'oslo' } })
  await set(here, id, { site: 'bergen' })
  await set(here, id, { rack: '7' }, 'night')
  await move([id])
  const target = [{ id, name: 'gate', kind: 'device' }]
  const actor = { id: person.id }
  const [left, ...earlier] = await deviceEventsOf(here, id)
  const fields = { name: 'gate', hardwareId: null, platform: null }
  const contents = { attributes: { site: 'bergen' }, overrides: { night: { rack: '7' } }, services: [] }
  const out = { accountId: there.accountId, direction: 'out', ...fields, ...contents }
  expect(left).toEqual({ type: 'DEVICE_TRANSFER', target, actor, data: out })
  expect(earlier.map(({ type }: { type: string }) => type)).toEqual([
    'ATTRIBUTE_CHANGE',
    'ATTRIBUTE_CHANGE',
    'DEVICE_REGISTER',
  ])
  const data = { accountId: here.accountId, direction: 'in', ...fields, attributeNames: ['rack', 'site'] }
  expect(await deviceEventsOf(there, id)).toEqual([{ type: 'DEVICE_TRANSFER', target, actor, data }])

  const access = 'access: { permissions: [DEVICE_READ, EVENT_READ], attributes: { read: ["site"], write: [] } }'
  const [shownThere, shownHere] = await Promise.all(
    [there, here].map(async (user) => (await deviceEventsOf(await keyOf(app, sendAsUser(user), access), id))[0].data),
  )
  expect(shownThere).toEqual({ ...data, attributeNames: ['site'] })
  expect(shownHere).toMatchObject({ attributes: { site: 'bergen' }, overrides: {} })
})

it('applies the filters of event streams in both accounts, even after a device returns', async () => {
  const follow = (user: TestUser) =>
    openTestStream({
      app,
      user,
      query: 'subscription { events(where: "attributes.site = oslo OR name = end") { type target { name } } }',
    })
  const id = await newDevice(here, 'gate', { attributes: { site: 'oslo' } })
  const other = await newDevice(here, 'other', { attributes: { site: 'rome' } })
  const streams = [await follow(here), await follow(there)]
  expect((await move([id, other])).data).toEqual({ transferDevices: 2 })
  await set(there, id, { load: '1' })
  await set(there, id, { site: 'rome' })
  await set(there, id, { load: '2' })
  expect((await moveDevices(inAccount(person, there), here, [id])).error).toEqual(['FORBIDDEN', 'permission'])
  expect((await moveBack([id])).data).toEqual({ transferDevices: 1 })
  await set(here, id, { site: 'oslo' })
  for (const user of [here, there]) await newDevice(user, 'end')
  const shown = streams.map((stream) => () => eventsOf(stream).map(({ type }) => type))
  await until(() => shown.every((types) => types().includes('DEVICE_REGISTER')))
  expect(shown.map((types) => types())).toEqual([
    ['DEVICE_TRANSFER', 'ATTRIBUTE_CHANGE', 'DEVICE_REGISTER'],
    ['DEVICE_TRANSFER', 'ATTRIBUTE_CHANGE', 'ATTRIBUTE_CHANGE', 'DEVICE_REGISTER'],
  ])
})

it('reports the availability of a device in each account from its arrival there', async () => {
  const { device, secret } = (await here.data(register, { name: 'gate' })).registerDevice
  const { id } = device
  await sql`update device set created = created - interval '3 hours' where id = ${id}`.execute(app.db)
  const report = async (body: object) => expect((await post(app, 'report', body, basic(id, secret))).status).toBe(200)
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const availability = async (user: TestUser, from: string, to?: string) => {
    const document = `query ($id: [String!]!, $from: DateTime!, $to: DateTime) { login {
      device(id: $id) { availability(from: $from, until: $to) { from until outages segments { from state } } }
      events(types: [DEVICE_TRANSFER]) { items { timestamp data } } } }`
    const { login } = await user.data(document, { id: [id], from, to })
    const arrivals = login.events.items.filter(({ data }: { data: { direction: string } }) => data.direction === 'in')
    return { ...login.device[0].availability, arrived: arrivals[0]?.timestamp }
  }

  await report({ state: 'active', ttl: 3_600 })
  await move([id])
  const first = await availability(there, hoursAgo(2))
  expect(first.from).toBe(first.arrived)
  expect(first.segments).toEqual([{ from: first.arrived, state: 'active' }])
  // Between two hours and one hour ago, the device was in the other account.
  const before = await availability(there, hoursAgo(2), hoursAgo(1))
  expect(before).toMatchObject({ from: before.until, segments: [] })

  await report({ state: 'inactive' })
  const second = await availability(there, hoursAgo(2))
  expect(second).toMatchObject({ from: first.arrived, outages: 1 })
  expect(second.segments.map(({ state }: { state: string }) => state)).toEqual(['active', 'inactive'])

  await moveBack([id])
  const third = await availability(here, hoursAgo(2))
  expect(third.from).toBe(third.arrived)
  expect(third.segments).toEqual([{ from: third.arrived, state: 'inactive' }])
})

it('updates the attribute names of both accounts, even for a large device', async () => {
  const namesOf = async (user: TestUser) =>
    (await user.data('{ login { attributeNames { name devices services } } }')).login.attributeNames
  const services = Array.from({ length: 5 }, (_, index) => ({ name: `ssh ${index}` }))
  const { device } = (await here.data(register, { name: 'large', services })).registerDevice
  await sql`update service set attributes = jsonb_build_object('text', repeat('x', 60000)) where device_id = ${device.id}`.execute(
    app.db,
  )
  await set(here, device.id, { $svc: { statusA: 'up' } })
  const names = [
    { name: '$svc.statusA', devices: 1, services: 0 },
    { name: 'text', devices: 0, services: 5 },
  ]
  expect([await namesOf(here), await namesOf(there)]).toEqual([names, []])
  await move([device.id])
  expect([await namesOf(here), await namesOf(there)]).toEqual([[], names])
  expect((await deviceEventsOf(here, device.id))[0].data).toMatchObject({ direction: 'out', omitted: true })
})

it('charges the other account for the attributes and events, and moves nothing if the quota is too low', async () => {
  const values = Array.from({ length: 4 }, (_, index) => [`text${index}`, 'x'.repeat(12_000)])
  const attributes = Object.fromEntries(values)
  const ids = await Promise.all(['one', 'two'].map((name) => newDevice(here, name, { attributes })))
  const small = await app.startAnother({ env: { MUSTER_ACCOUNT_BYTES_PER_DAY: '80000' } })
  try {
    const moveThrough = (id: string) => ask(person, transfer, { to: there.accountId, ids: [id] }, small)
    expect((await moveThrough(ids[0]!)).data).toEqual({ transferDevices: 1 })
    expect((await moveThrough(ids[1]!)).error?.[0]).toBe('RATE_LIMITED')
    expect(await Promise.all([stateOf(here, ids[1]!), stateOf(there, ids[1]!)])).toEqual(['inactive', undefined])
  } finally {
    await small.close()
  }
})
