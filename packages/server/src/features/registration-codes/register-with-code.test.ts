import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  newHardwareId,
  type RegistrationServer,
  rotate,
  startRegistrationServer,
} from '../../../test/api/device-registration.ts'
import { basic, type DeviceResponse, errorOf } from '../../../test/clients/http-device.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const site = sharedTestApp()
let server: RegistrationServer

/** Starts one server for a group of tests that together stay below the rate limit for invalid codes. */
function startOnce(): void {
  beforeAll(async () => {
    server = await startRegistrationServer(site)
  })
  afterAll(() => server.app.close())
}

function startForEach(): void {
  beforeEach(async () => {
    server = await startRegistrationServer(site)
  })
  afterEach(() => server.app.close())
}

const deviceOf = async (user: TestUser, id: string) =>
  (
    await user.data(
      `query ($id: [String!]!) { login { device(id: $id) { name hardwareId platform attributes
        services { id name application host port enabled } } } }`,
      { id: [id] },
    )
  ).login.device[0]

const usedOf = async (id: string) =>
  (await server.owner.data('{ login { registrationCodes { id used } } }')).login.registrationCodes.find(
    (code: { id: string }) => code.id === id,
  ).used

describe('a device that registers with a code', () => {
  startOnce()

  test('combines its own data with the data of the code', async () => {
    const { code, id } = await server.newCode({
      name: 'gate',
      platform: 'linux',
      attributes: { site: 'oslo', $svc: { categoryA: 'gates' } },
      services: [
        { name: 'ssh', port: 22, host: '10.0.0.1', enabled: false },
        { name: 'web', application: 8 },
      ],
    })
    const { status, headers, body } = await server.register({
      code,
      hardwareId: 'HW-A',
      name: 'gate 7',
      services: [
        { name: 'ssh', port: 2222 },
        { name: 'log', port: 514 },
      ],
    })
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      deviceId: expect.stringMatching(/^80(:[0-9a-f]{2}){7}$/),
      secret: expect.stringMatching(/^[\w-]{43}$/),
      services: ['ssh', 'web', 'log'].map((name) => ({ id: expect.stringMatching(/^80:/), name })),
    })
    const device = await deviceOf(server.owner, body.deviceId)
    expect(device).toMatchObject({
      name: 'gate 7',
      hardwareId: 'HW-A',
      platform: 'linux',
      attributes: { site: 'oslo', $svc: { categoryA: 'gates' } },
    })
    const services = new Map(device.services.map((service: { name: string }) => [service.name, service]))
    expect(services.get('ssh')).toMatchObject({ port: 2222, host: '10.0.0.1', enabled: false })
    expect(services.get('web')).toMatchObject({ application: 8, port: 443 })
    expect(services.get('log')).toMatchObject({ port: 514, host: null, enabled: true })
    expect(await usedOf(id)).toBe(1)
  })

  test('that sends no name is named by the code or, if the code contains no name, after its hardware ID', async () => {
    const named = await server.register({
      code: (await server.newCode({ name: 'gate' })).code,
      hardwareId: newHardwareId(),
    })
    expect((await deviceOf(server.owner, named.body.deviceId)).name).toBe('gate')
    const hardwareId = 'Ø'.repeat(150)
    const unnamed = await server.register({ code: (await server.newCode()).code, hardwareId })
    expect(await deviceOf(server.owner, unnamed.body.deviceId)).toMatchObject({ name: 'Ø'.repeat(100), hardwareId })
  })

  test('receives a valid secret, and its registration is recorded without an actor', async () => {
    const { code, id } = await server.newCode()
    const { deviceId, secret } = (await server.register({ code, hardwareId: newHardwareId() })).body
    const { login } = await server.owner.data(
      'query ($id: [String!]) { login { events(deviceId: $id) { items { type actor { id } data } } } }',
      { id: [deviceId] },
    )
    expect(login.events.items).toMatchObject([{ type: 'DEVICE_REGISTER', actor: null, data: { registrationCode: id } }])
    expect(await server.canReport(deviceId, secret)).toBe(true)
    expect(await server.canReport(deviceId, `${secret}x`)).toBe(false)
  })

  test("belongs to the code's owner and to no other user", async () => {
    const other = await server.app.createUser()
    const { deviceId } = (await server.register({ code: (await server.newCode({}, other)).code, hardwareId: 'HW-A' }))
      .body
    expect(await deviceOf(other, deviceId)).toMatchObject({ hardwareId: 'HW-A' })
    expect(await deviceOf(server.owner, deviceId)).toBeUndefined()
    expect((await server.owner.query(rotate, { id: deviceId })).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  })
})

describe('a registration code', () => {
  startForEach()

  const reasonOf = ({ status, headers, body }: DeviceResponse) => [
    status,
    body.errors[0].extensions.code,
    body.errors[0].extensions.reason,
    headers.get('www-authenticate')?.split(' ')[0],
  ]

  test('is rejected for a new device if it is unknown, deleted, expired, or used up', async () => {
    const expected = (reason: string) => [401, 'UNAUTHENTICATED', reason, 'Basic']
    expect(reasonOf(await server.register({ code: 'MCNONE', hardwareId: 'X' }))).toEqual(expected('unknown-code'))

    const deleted = await server.newCode()
    await server.owner.data('mutation ($id: ID!) { deleteRegistrationCode(id: $id) }', { id: deleted.id })
    expect(reasonOf(await server.register({ ...deleted, id: undefined, hardwareId: 'X' }))).toEqual(
      expected('unknown-code'),
    )

    const { code } = await server.newCode()
    await server.register({ code, hardwareId: newHardwareId() })
    expect(reasonOf(await server.register({ code, hardwareId: newHardwareId() }))).toEqual(expected('used-up-code'))

    const short = await server.newCode({ expires: new Date(Date.now() + 60_000).toISOString() })
    server.advanceClock(61_000)
    expect(reasonOf(await server.register({ code: short.code, hardwareId: 'X' }))).toEqual(expected('expired-code'))
  })

  test('allows exactly as many of 25 concurrent registrations as the code has uses', async () => {
    const { code, id } = await server.newCode({ uses: 7 })
    const responses = await Promise.all(
      Array.from({ length: 25 }, () => server.register({ code, hardwareId: newHardwareId() })),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(await usedOf(id)).toBe(7)
    expect((await server.owner.data('{ login { devices { total } } }')).login.devices.total).toBe(7)
  })

  test('is rate limited if it is invalid, without affecting valid codes', async () => {
    const { code } = await server.newCode()
    const guess = () => server.register({ code: 'MCGUESS', hardwareId: 'X' })
    const statuses = []
    for (let attempt = 0; attempt < 21; attempt++) statuses.push((await guess()).status)
    expect(statuses).toEqual([...Array(20).fill(401), 429])
    expect(Number((await guess()).headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await server.register({ code, hardwareId: 'X' })).status).toBe(200)
  })
})

describe('a hardware ID', () => {
  startForEach()

  async function registered(uses = 5) {
    const { code } = await server.newCode({ uses })
    const hardwareId = newHardwareId()
    const { deviceId, secret } = (await server.register({ code, hardwareId, services: [{ name: 'ssh' }] })).body
    return { code, hardwareId, deviceId, secret }
  }

  test('cannot be taken over by another device', async () => {
    const { code, hardwareId, deviceId, secret } = await registered()
    const otherDevice = await registered()
    const attempts = [
      await server.register({ code, hardwareId }),
      await server.register({ code, hardwareId }, basic(deviceId, 'wrong')),
      await server.register({ code, hardwareId }, basic(otherDevice.deviceId, secret)),
      await server.register({ code, hardwareId }, basic(otherDevice.deviceId, otherDevice.secret)),
      await server.register({ code: (await server.newCode()).code, hardwareId }),
    ]
    expect(attempts.map((response) => errorOf(response).slice(0, 2))).toEqual(Array(5).fill([409, 'CONFLICT']))
    expect(await server.canReport(deviceId, secret)).toBe(true)
  })

  test('gives its device a new secret in exchange for the current one, and changes nothing else', async () => {
    const { code, hardwareId, deviceId, secret } = await registered(1)
    const before = await deviceOf(server.owner, deviceId)
    const { status, body } = await server.register({ code, hardwareId, name: 'renamed' }, basic(deviceId, secret))
    expect([status, body.deviceId, body.services]).toEqual([
      200,
      deviceId,
      [{ id: before.services[0].id, name: 'ssh' }],
    ])
    expect(await deviceOf(server.owner, deviceId)).toEqual(before)
    expect([await server.canReport(deviceId, secret), await server.canReport(deviceId, body.secret)]).toEqual([
      false,
      true,
    ])
  })

  test('can be registered again once within an hour if its owner allows it', async () => {
    const { code, hardwareId, deviceId, secret } = await registered()
    expect((await server.owner.data(rotate, { id: deviceId, allow: true })).rotateDeviceSecret).toEqual({
      secret: null,
      device: { id: deviceId },
    })
    expect(await server.canReport(deviceId, secret)).toBe(false)
    const responses = await Promise.all(Array.from({ length: 6 }, () => server.register({ code, hardwareId })))
    const accepted = responses.filter(({ status }) => status === 200)
    expect(accepted).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(5)
    expect(await server.canReport(deviceId, accepted[0]!.body.secret)).toBe(true)

    await server.owner.data(rotate, { id: deviceId, allow: true })
    server.advanceClock(3_601_000)
    expect(errorOf(await server.register({ code, hardwareId }))[0]).toBe(409)
  })

  test('is registered once by 10 concurrent requests with different codes, which count as one use', async () => {
    const codes = await Promise.all(Array.from({ length: 10 }, () => server.newCode()))
    const hardwareId = newHardwareId()
    const responses = await Promise.all(codes.map(({ code }) => server.register({ code, hardwareId })))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    const used = await Promise.all(codes.map(({ id }) => usedOf(id)))
    expect(used.filter((count) => count === 1)).toHaveLength(1)
  })
})

describe('an invalid registration request', () => {
  startOnce()

  test.each([
    ['invalid JSON', '{', 400, 'BAD_USER_INPUT', /not valid JSON/],
    ['no body', '', 400, 'BAD_USER_INPUT', /no body/],
    ['an array', [], 400, 'BAD_USER_INPUT', /the body must be a JSON object/],
    ['no code', { hardwareId: 'X' }, 400, 'BAD_USER_INPUT', /^code is missing/],
    ['a code that is not a string', { code: 1, hardwareId: 'X' }, 400, 'BAD_USER_INPUT', /^code must be a string/],
    ['no hardware ID', { code: 'X' }, 400, 'BAD_USER_INPUT', /^hardwareId is missing/],
    ['an empty hardware ID', { code: 'X', hardwareId: ' ' }, 400, 'BAD_USER_INPUT', /^hardwareId /],
    ['the character U+0000', { code: 'X\u0000', hardwareId: 'X' }, 400, 'BAD_USER_INPUT', /^code .*U\+0000/],
    ['a long hardware ID', { code: 'X', hardwareId: 'x'.repeat(201) }, 413, 'LIMIT_EXCEEDED', /200.*201/],
    [
      'an unknown member',
      { code: 'X', hardwareId: 'X', secret: 'x' },
      400,
      'BAD_USER_INPUT',
      /"secret" is not a known member/,
    ],
    [
      'a service without a name',
      { code: 'X', hardwareId: 'X', services: [{ port: 22 }] },
      400,
      'BAD_USER_INPUT',
      /^services\[0\]\.name is missing/,
    ],
    [
      'two services with the same name',
      { code: 'X', hardwareId: 'X', services: [{ name: 'a' }, { name: 'a' }] },
      400,
      'BAD_USER_INPUT',
      /^services\[1\]\.name/,
    ],
    ['a body of 64 KiB', { code: 'X'.repeat(65_536), hardwareId: 'X' }, 413, 'LIMIT_EXCEEDED', /65536 bytes/],
  ])('is rejected with %s', async (_name, body, status, code, message) => {
    expect(errorOf(await server.register(body))).toEqual([status, code, expect.stringMatching(message)])
  })

  test('does not use the code if a service is invalid', async () => {
    const { code, id } = await server.newCode()
    const services = [{ name: 'a', port: 70_000 }]
    expect(errorOf(await server.register({ code, hardwareId: newHardwareId(), services }))).toEqual([
      400,
      'BAD_USER_INPUT',
      expect.stringMatching(/services\[0\]\.port/),
    ])
    expect(await usedOf(id)).toBe(0)
  })

  test('is rejected if its credentials use a scheme other than Basic', async () => {
    expect(errorOf(await server.register({ code: 'X', hardwareId: 'X' }, 'Bearer x')).slice(0, 2)).toEqual([
      401,
      'UNAUTHENTICATED',
    ])
  })
})
