import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { basic, type DeviceResponse, errorOf, post } from '../../../test/clients/http-device.ts'
import { sharedTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'
import { repeatUntilFast } from '../../../test/harness/repeat-until-fast.ts'

const app = sharedTestApp({ mqtt: true })
let owner: TestUser
beforeAll(async () => {
  owner = app.owner
})

interface Device {
  id: string
  secret: string
  services: string[]
  report(body: unknown): Promise<DeviceResponse>
}

async function newDevice(user = owner): Promise<Device> {
  const { registerDevice } = await user.data(
    `mutation { registerDevice(name: "gate", services: [{ name: "a" }, { name: "b" }], attributes: { site: "oslo" }) {
      secret device { id services { id } } } }`,
  )
  const { secret, device } = registerDevice
  return {
    id: device.id,
    secret,
    services: device.services.map(({ id }: { id: string }) => id),
    report: (body) => post(app, 'report', body, basic(device.id, secret)),
  }
}

const readDevice = async (id: string, user = owner) =>
  (
    await user.data(
      `query ($id: [String!]!) { login { device(id: $id) {
        state online lastReported attributes services { id state lastReported attributes } } } }`,
      { id: [id] },
    )
  ).login.device[0]

const eventsOf = async (id: string) =>
  (
    await owner.data(
      'query ($id: [String!]) { login { events(deviceId: $id) { items { type state actor { id } data } } } }',
      { id: [id] },
    )
  ).login.events.items

const reportState = `mutation ($id: String!, $state: String!, $ttl: Int) { reportState(serviceId: $id, state: $state, ttl: $ttl) }`

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(50)
}

describe('POST /devices/v1/report', () => {
  test('writes the states and attributes of a device and its services in one request', async () => {
    const device = await newDevice()
    const [a, b] = device.services as [string, string]
    const { status, body } = await device.report({
      state: 'active',
      ttl: 60,
      attributes: { 'net.ssid': 'lab' },
      services: [
        { id: a.toUpperCase(), state: 'active', attributes: { load: '3' } },
        { id: b, state: 'inactive' },
      ],
    })
    expect([status, body]).toEqual([200, { deviceId: device.id }])
    const found = await readDevice(device.id)
    expect(found).toMatchObject({
      state: 'active',
      online: true,
      lastReported: expect.any(String),
      attributes: { site: 'oslo', net: { ssid: 'lab' } },
    })
    const services = new Map(found.services.map((service: { id: string }) => [service.id, service]))
    expect(services.get(a)).toMatchObject({ state: 'active', attributes: { load: '3' } })
    expect(services.get(b)).toMatchObject({ state: 'inactive', attributes: {} })
    const events = await eventsOf(device.id)
    expect(events.slice(0, -1).every(({ actor }: { actor: unknown }) => actor === null)).toBe(true)
    expect(events).toContainEqual(expect.objectContaining({ type: 'DEVICE_STATE', state: 'active' }))
  })

  test('accepts device IDs in uppercase', async () => {
    const { id, secret } = await newDevice()
    expect((await post(app, 'report', { state: 'active' }, basic(id.toUpperCase(), secret))).status).toBe(200)
  })

  test('updates lastReported but not the state for a report with only attributes', async () => {
    const device = await newDevice()
    await device.report({ attributes: { site: 'bergen' } })
    expect(await readDevice(device.id)).toMatchObject({
      state: 'inactive',
      lastReported: expect.any(String),
      attributes: { site: 'bergen' },
    })
  })

  test('makes the device active for ttl seconds, or inactive immediately', async () => {
    const { device, state } = await repeatUntilFast(1_800, async () => {
      const reporting = await newDevice()
      await reporting.report({ state: 'active', ttl: 2 })
      return { device: reporting, state: (await readDevice(reporting.id)).state }
    })
    expect(state).toBe('active')
    await until(async () => (await readDevice(device.id)).state === 'inactive')
    await device.report({ state: 'active' })
    await device.report({ state: 'inactive' })
    expect((await readDevice(device.id)).state).toBe('inactive')
  })

  test('writes nothing if any part of the report is invalid', async () => {
    const device = await newDevice()
    const foreignDevice = await newDevice()
    const before = await readDevice(device.id)
    const responses = [
      await device.report({ state: 'active', attributes: { ok: 'yes', bad: 1 } }),
      await device.report({
        state: 'active',
        attributes: { ok: 'yes' },
        services: [{ id: foreignDevice.services[0], state: 'active' }],
      }),
      await device.report({
        attributes: { ok: 'yes' },
        services: [{ id: device.services[0], attributes: { $x: 'y' } }],
      }),
    ]
    expect(responses.map((response) => errorOf(response).slice(0, 2))).toEqual([
      [400, 'BAD_USER_INPUT'],
      [404, 'NOT_FOUND'],
      [400, 'RESERVED_ATTRIBUTE'],
    ])
    expect(await readDevice(device.id)).toEqual(before)
  })

  test.each([
    ['{', 400, 'BAD_USER_INPUT', /not valid JSON/],
    [{}, 400, 'BAD_USER_INPUT', /report is empty/],
    [{ state: 'on' }, 400, 'BAD_USER_INPUT', /^state must be active or inactive$/],
    [{ state: 1 }, 400, 'BAD_USER_INPUT', /^state must be a string/],
    [{ state: 'active', ttl: 0 }, 400, 'BAD_USER_INPUT', /^ttl must be from 1 to 86400 seconds, not 0/],
    [{ state: 'active', ttl: 86_401 }, 400, 'BAD_USER_INPUT', /^ttl /],
    [{ state: 'active', ttl: 1.5 }, 400, 'BAD_USER_INPUT', /^ttl must be a whole number/],
    [{ state: 'inactive', ttl: 5 }, 400, 'BAD_USER_INPUT', /^ttl applies only to/],
    [{ attributes: [] }, 400, 'BAD_USER_INPUT', /^attributes must be a JSON object/],
    [{ attributes: { a: { b: { c: 'd' } } } }, 400, 'BAD_USER_INPUT', /attributes\.a\.b/],
    [{ services: {} }, 400, 'BAD_USER_INPUT', /^services must be an array/],
    [{ services: [{ state: 'active' }] }, 400, 'BAD_USER_INPUT', /^services\[0\]\.id is missing/],
    [{ services: [{ id: 'x', state: 'up' }] }, 400, 'BAD_USER_INPUT', /^services\[0\]\.state must be/],
    [{ services: [{ id: 'x', state: 'active' }] }, 404, 'NOT_FOUND', /"x"/],
    [{ services: [{ id: 'x', name: 'y' }] }, 400, 'BAD_USER_INPUT', /^services\[0\]\."name" is not a known member/],
    [{ battery: 3 }, 400, 'BAD_USER_INPUT', /"battery" is not a known member; valid names: state, ttl/],
    [{ services: Array.from({ length: 101 }, () => ({ id: 'x' })) }, 413, 'LIMIT_EXCEEDED', /100.*101/],
    [{ attributes: { a: 'x'.repeat(65_536) } }, 413, 'LIMIT_EXCEEDED', /65536 bytes/],
    [
      { state: 'inactive', services: [{ id: 'x', state: 'active' }] },
      400,
      'BAD_USER_INPUT',
      /^services\[0\]\.state cannot be active/,
    ],
  ])('rejects %j', async (body, status, code, message) => {
    const device = await newDevice()
    expect(errorOf(await device.report(body))).toEqual([status, code, expect.stringMatching(message)])
    expect(await readDevice(device.id)).toMatchObject({ state: 'inactive', lastReported: null })
  })

  test('cannot write to any other device', async () => {
    const device = await newDevice()
    const sibling = await newDevice()
    const other = await app.createUser()
    const foreign = await newDevice(other)
    for (const target of [sibling.id, sibling.services[0], foreign.id, foreign.services[0], owner.accountId]) {
      for (const change of [{ state: 'active' }, { attributes: { mine: 'yes' } }]) {
        const response = await device.report({ services: [{ id: target, ...change }] })
        expect(errorOf(response).slice(0, 2)).toEqual([404, 'NOT_FOUND'])
      }
    }
    expect(await readDevice(sibling.id)).toMatchObject({ state: 'inactive', attributes: { site: 'oslo' } })
    expect(await readDevice(foreign.id, other)).toMatchObject({ state: 'inactive', attributes: { site: 'oslo' } })
  })
})

describe('a device without valid credentials', () => {
  test('is rejected with the same status for missing and invalid credentials', async () => {
    const server = await app.startAnother()
    const { secret, id } = await registered(server)
    const report = (authorization?: string) => post(server, 'report', { state: 'active' }, authorization)
    const responses = [
      await report(),
      await report(basic(id, `${secret}x`)),
      await report(basic('80:00:00:00:00:00:00:00', secret)),
      await report(basic('unknown', secret)),
      await report('Basic !'),
      await report('Bearer x'),
    ]
    expect(responses.map(({ status, headers }) => [status, headers.get('www-authenticate')?.split(' ')[0]])).toEqual(
      Array(6).fill([401, 'Basic']),
    )
    expect(responses[1]!.body.errors).toEqual(responses[2]!.body.errors)
    expect((await report(basic(id, secret))).status).toBe(200)
    await server.close()
  })

  test('is rate limited after 20 failed attempts, but the valid secret still works', async () => {
    const server = await app.startAnother()
    const { secret, id } = await registered(server)
    const attempt = (given: string) => post(server, 'report', { state: 'active' }, basic(id, given))
    for (let count = 0; count < 20; count++) expect((await attempt('wrong')).status).toBe(401)
    const late = await attempt('wrong')
    expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await attempt(secret)).status).toBe(200)
    await server.close()
  })

  test('is rejected after it is deleted', async () => {
    const device = await newDevice()
    await device.report({ state: 'active' })
    await owner.data('mutation ($id: String!) { deleteDevice(deviceId: $id, force: true) }', { id: device.id })
    expect((await device.report({ state: 'active' })).status).toBe(401)
  })
})

async function registered({ owner: user }: TestApp): Promise<{ id: string; secret: string }> {
  const { registerDevice } = await user.data('mutation { registerDevice(name: "gate") { secret device { id } } }')
  return { id: registerDevice.device.id, secret: registerDevice.secret }
}

describe('reportState', () => {
  test('makes a device active for ttl seconds, or inactive', async () => {
    const { id, found } = await repeatUntilFast(1_800, async () => {
      const device = await newDevice()
      await owner.data(reportState, { id: device.id.toUpperCase(), state: 'active', ttl: 2 })
      return { id: device.id, found: await readDevice(device.id) }
    })
    expect(found).toMatchObject({ state: 'active', lastReported: expect.any(String) })
    await until(async () => (await readDevice(id)).state === 'inactive')
    await owner.data(reportState, { id, state: 'active', ttl: null })
    await owner.data(reportState, { id, state: 'inactive' })
    expect((await readDevice(id)).state).toBe('inactive')
  })

  test('makes a service and its device active', async () => {
    const { id, services } = await newDevice()
    await owner.data(reportState, { id: services[0], state: 'active' })
    const found = await readDevice(id)
    expect(found.state).toBe('active')
    expect(found.services.find((service: { id: string }) => service.id === services[0]).state).toBe('active')
  })

  test.each([
    ['an unknown state', { state: 'on' }, 'BAD_USER_INPUT', /^state /],
    ['a ttl of 0', { state: 'active', ttl: 0 }, 'BAD_USER_INPUT', /^ttl /],
    ['a ttl longer than a day', { state: 'active', ttl: 86_401 }, 'BAD_USER_INPUT', /^ttl /],
    ['an unknown ID', { id: 'x', state: 'active' }, 'NOT_FOUND', /"x"/],
  ])('rejects %s', async (_name, variables, code, message) => {
    const { id } = await newDevice()
    const { errors } = await owner.query(reportState, { id, ...variables })
    expect([errors?.[0]?.extensions.code, errors?.[0]?.message]).toEqual([code, expect.stringMatching(message)])
    expect((await readDevice(id)).state).toBe('inactive')
  })

  test('rejects the devices and services of another account', async () => {
    const { id, services } = await newDevice()
    const other = await app.createUser()
    for (const target of [id, services[0]]) {
      const { errors } = await other.query(reportState, { id: target, state: 'active' })
      expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND')
    }
    expect((await readDevice(id)).state).toBe('inactive')
  })
})
