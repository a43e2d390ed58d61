import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  newHardwareId,
  type RegistrationServer,
  rotate,
  startRegistrationServer,
} from '../../../test/api/device-registration.ts'
import { basic, type DeviceResponse, errorOf } from '../../../test/clients/http-device.ts'
import { startTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'

let site: TestApp
let here: RegistrationServer

beforeAll(async () => {
  site = await startTestApp()
})
afterAll(() => site.close())

/** A server for a group of tests, which make few guesses together. */
function openForAll(): void {
  beforeAll(async () => {
    here = await startRegistrationServer(site)
  })
  afterAll(() => here.app.close())
}

function openForEach(): void {
  beforeEach(async () => {
    here = await startRegistrationServer(site)
  })
  afterEach(() => here.app.close())
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
  (await here.owner.data('{ login { registrationCodes { id used } } }')).login.registrationCodes.find(
    (code: { id: string }) => code.id === id,
  ).used

describe('a device with a code', () => {
  openForAll()

  test('registers itself and gets what the code lays down, its own words first', async () => {
    const { code, id } = await here.newCode({
      name: 'gate',
      platform: 'linux',
      attributes: { site: 'oslo', $svc: { categoryA: 'gates' } },
      services: [
        { name: 'ssh', port: 22, host: '10.0.0.1', enabled: false },
        { name: 'web', application: 8 },
      ],
    })
    const { status, headers, body } = await here.register({
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
    const device = await deviceOf(here.owner, body.deviceId)
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

  test('is called by the code, else by its hardware id', async () => {
    const named = await here.register({
      code: (await here.newCode({ name: 'gate' })).code,
      hardwareId: newHardwareId(),
    })
    expect((await deviceOf(here.owner, named.body.deviceId)).name).toBe('gate')
    const hardwareId = 'Ø'.repeat(150)
    const unnamed = await here.register({ code: (await here.newCode()).code, hardwareId })
    expect(await deviceOf(here.owner, unnamed.body.deviceId)).toMatchObject({ name: 'Ø'.repeat(100), hardwareId })
  })

  test('leaves an event without an actor, and its secret works', async () => {
    const { code, id } = await here.newCode()
    const { deviceId, secret } = (await here.register({ code, hardwareId: newHardwareId() })).body
    const { login } = await here.owner.data(
      'query ($id: [String!]) { login { events(deviceId: $id) { items { type actor { id } data } } } }',
      { id: [deviceId] },
    )
    expect(login.events.items).toMatchObject([{ type: 'DEVICE_REGISTER', actor: null, data: { registrationCode: id } }])
    expect(await here.canReport(deviceId, secret)).toBe(true)
    expect(await here.canReport(deviceId, `${secret}x`)).toBe(false)
  })

  test("goes to the code's owner, and to nobody else", async () => {
    const other = await here.app.createUser()
    const { deviceId } = (await here.register({ code: (await here.newCode({}, other)).code, hardwareId: 'HW-A' })).body
    expect(await deviceOf(other, deviceId)).toMatchObject({ hardwareId: 'HW-A' })
    expect(await deviceOf(here.owner, deviceId)).toBeUndefined()
    expect((await here.owner.query(rotate, { id: deviceId })).errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  })
})

describe('a code that does not hold', () => {
  openForEach()

  const reasonOf = ({ status, headers, body }: DeviceResponse) => [
    status,
    body.errors[0].extensions.code,
    body.errors[0].extensions.reason,
    headers.get('www-authenticate')?.split(' ')[0],
  ]

  test('unknown, deleted, expired or used up', async () => {
    const expected = (reason: string) => [401, 'UNAUTHENTICATED', reason, 'Basic']
    expect(reasonOf(await here.register({ code: 'MCNONE', hardwareId: 'X' }))).toEqual(expected('unknown-code'))

    const deleted = await here.newCode()
    await here.owner.data('mutation ($id: ID!) { deleteRegistrationCode(id: $id) }', { id: deleted.id })
    expect(reasonOf(await here.register({ ...deleted, id: undefined, hardwareId: 'X' }))).toEqual(
      expected('unknown-code'),
    )

    const { code } = await here.newCode()
    await here.register({ code, hardwareId: newHardwareId() })
    expect(reasonOf(await here.register({ code, hardwareId: newHardwareId() }))).toEqual(expected('used-up-code'))

    const short = await here.newCode({ expires: new Date(Date.now() + 60_000).toISOString() })
    here.advanceClock(61_000)
    expect(reasonOf(await here.register({ code: short.code, hardwareId: 'X' }))).toEqual(expected('expired-code'))
  })

  test('of 25 at once as many get in as it has uses', async () => {
    const { code, id } = await here.newCode({ uses: 7 })
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => here.register({ code, hardwareId: newHardwareId() })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(await usedOf(id)).toBe(7)
    expect((await here.owner.data('{ login { devices { total } } }')).login.devices.total).toBe(7)
  })

  test('whoever guesses codes is slowed down, and a good code passes all the same', async () => {
    const { code } = await here.newCode()
    const guess = () => here.register({ code: 'MCGUESS', hardwareId: 'X' })
    const statuses = []
    for (let attempt = 0; attempt < 21; attempt++) statuses.push((await guess()).status)
    expect(statuses).toEqual([...Array(20).fill(401), 429])
    expect(Number((await guess()).headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await here.register({ code, hardwareId: 'X' })).status).toBe(200)
  })
})

describe('a hardware id that is taken', () => {
  openForEach()

  async function registered(uses = 5) {
    const { code } = await here.newCode({ uses })
    const hardwareId = newHardwareId()
    const { deviceId, secret } = (await here.register({ code, hardwareId, services: [{ name: 'ssh' }] })).body
    return { code, hardwareId, deviceId, secret }
  }

  test('is never taken over', async () => {
    const { code, hardwareId, deviceId, secret } = await registered()
    const stranger = await registered()
    const attempts = [
      await here.register({ code, hardwareId }),
      await here.register({ code, hardwareId }, basic(deviceId, 'wrong')),
      await here.register({ code, hardwareId }, basic(stranger.deviceId, secret)),
      await here.register({ code, hardwareId }, basic(stranger.deviceId, stranger.secret)),
      await here.register({ code: (await here.newCode()).code, hardwareId }),
    ]
    expect(attempts.map((answer) => errorOf(answer).slice(0, 2))).toEqual(Array(5).fill([409, 'CONFLICT']))
    expect(await here.canReport(deviceId, secret)).toBe(true)
  })

  test('gets a new secret with the present one, which stops; nothing else changes', async () => {
    const { code, hardwareId, deviceId, secret } = await registered(1)
    const before = await deviceOf(here.owner, deviceId)
    const { status, body } = await here.register({ code, hardwareId, name: 'renamed' }, basic(deviceId, secret))
    expect([status, body.deviceId, body.services]).toEqual([
      200,
      deviceId,
      [{ id: before.services[0].id, name: 'ssh' }],
    ])
    expect(await deviceOf(here.owner, deviceId)).toEqual(before)
    expect([await here.canReport(deviceId, secret), await here.canReport(deviceId, body.secret)]).toEqual([false, true])
  })

  test('may be registered again once when its owner allows it, within an hour', async () => {
    const { code, hardwareId, deviceId, secret } = await registered()
    expect((await here.owner.data(rotate, { id: deviceId, allow: true })).rotateDeviceSecret).toEqual({
      secret: null,
      device: { id: deviceId },
    })
    expect(await here.canReport(deviceId, secret)).toBe(false)
    const answers = await Promise.all(Array.from({ length: 6 }, () => here.register({ code, hardwareId })))
    const again = answers.filter(({ status }) => status === 200)
    expect(again).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5)
    expect(await here.canReport(deviceId, again[0]!.body.secret)).toBe(true)

    await here.owner.data(rotate, { id: deviceId, allow: true })
    here.advanceClock(3_601_000)
    expect(errorOf(await here.register({ code, hardwareId }))[0]).toBe(409)
  })

  test('of 10 at once under several codes one gets in, and uses are counted for that one alone', async () => {
    const codes = await Promise.all(Array.from({ length: 10 }, () => here.newCode()))
    const hardwareId = newHardwareId()
    const answers = await Promise.all(codes.map(({ code }) => here.register({ code, hardwareId })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    const used = await Promise.all(codes.map(({ id }) => usedOf(id)))
    expect(used.filter((count) => count === 1)).toHaveLength(1)
  })
})

describe('a request that is wrong', () => {
  openForAll()

  test.each([
    ['no JSON', '{', 400, 'BAD_USER_INPUT', /not valid JSON/],
    ['no body', '', 400, 'BAD_USER_INPUT', /no body/],
    ['an array', [], 400, 'BAD_USER_INPUT', /the body must be a JSON object/],
    ['no code', { hardwareId: 'X' }, 400, 'BAD_USER_INPUT', /^code is missing/],
    ['a code that is no text', { code: 1, hardwareId: 'X' }, 400, 'BAD_USER_INPUT', /^code must be a string/],
    ['no hardware id', { code: 'X' }, 400, 'BAD_USER_INPUT', /^hardwareId is missing/],
    ['an empty hardware id', { code: 'X', hardwareId: ' ' }, 400, 'BAD_USER_INPUT', /^hardwareId /],
    ['U+0000', { code: 'X\u0000', hardwareId: 'X' }, 400, 'BAD_USER_INPUT', /^code .*U\+0000/],
    ['a long hardware id', { code: 'X', hardwareId: 'x'.repeat(201) }, 413, 'LIMIT_EXCEEDED', /200.*201/],
    ['a stray member', { code: 'X', hardwareId: 'X', secret: 'x' }, 400, 'BAD_USER_INPUT', /"secret" is no member/],
    [
      'a service without a name',
      { code: 'X', hardwareId: 'X', services: [{ port: 22 }] },
      400,
      'BAD_USER_INPUT',
      /^services\[0\]\.name is missing/,
    ],
    [
      'two services of one name',
      { code: 'X', hardwareId: 'X', services: [{ name: 'a' }, { name: 'a' }] },
      400,
      'BAD_USER_INPUT',
      /^services\[1\]\.name/,
    ],
    ['64 KiB', { code: 'X'.repeat(65_536), hardwareId: 'X' }, 413, 'LIMIT_EXCEEDED', /65536 bytes/],
  ])('%s is refused', async (_what, body, status, code, message) => {
    expect(errorOf(await here.register(body))).toEqual([status, code, expect.stringMatching(message)])
  })

  test('a service that cannot be takes none of the uses', async () => {
    const { code, id } = await here.newCode()
    const services = [{ name: 'a', port: 70_000 }]
    expect(errorOf(await here.register({ code, hardwareId: newHardwareId(), services }))).toEqual([
      400,
      'BAD_USER_INPUT',
      expect.stringMatching(/services\[0\]\.port/),
    ])
    expect(await usedOf(id)).toBe(0)
  })

  test('credentials of another scheme', async () => {
    expect(errorOf(await here.register({ code: 'X', hardwareId: 'X' }, 'Bearer x')).slice(0, 2)).toEqual([
      401,
      'UNAUTHENTICATED',
    ])
  })
})
