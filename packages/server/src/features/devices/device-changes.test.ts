import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestUser } from '../../../test/app.ts'
import { limits } from '../../limits.ts'

let app: TestApp
let owner: TestUser
let other: TestUser

beforeAll(async () => {
  app = await startTestApp()
  owner = app.owner
  other = await app.createUser()
})
afterAll(() => app.close())

const register = `mutation ($name: String!, $hardwareId: String, $platform: String, $services: [ServiceInput!], $attributes: Object) {
  registerDevice(name: $name, hardwareId: $hardwareId, platform: $platform, services: $services, attributes: $attributes) {
    secret
    device { id name hardwareId platform state online lastReported stateSince created attributes owner { id email }
      services { id name application title port host enabled state } }
  }
}`

async function newDevice(name: string, more: Record<string, unknown> = {}): Promise<string> {
  const { registerDevice } = await owner.data(register, { name, ...more })
  return registerDevice.device.id
}

const found = async (user: TestUser, id: string) =>
  (
    await user.data('query ($id: [String!]!) { login { device(id: $id) { id name hardwareId platform } } }', {
      id: [id],
    })
  ).login.device[0]

const eventsOf = async (id: string) =>
  (
    await owner.data(
      'query ($id: [String!]) { login { events(deviceId: $id) { items { type data actor { id } target { id name kind } } } } }',
      { id: [id] },
    )
  ).login.events.items

async function makeActive(id: string): Promise<void> {
  await app.db.updateTable('device_live').set({ state: 'active' }).where('device_id', '=', id).execute()
}

/** Code and message of the only error of an answer. */
function refusal({
  errors,
}: {
  errors: { message: string; extensions: { code: string } }[] | undefined
}): [string, string] {
  expect(errors).toHaveLength(1)
  return [errors![0]!.extensions.code, errors![0]!.message]
}

describe('registerDevice', () => {
  test('adds a device with its services and attributes, and tells its secret once', async () => {
    const { registerDevice } = await owner.data(register, {
      name: 'gate 1',
      hardwareId: 'HW-1',
      platform: 'linux',
      services: [
        { name: 'ssh', port: 22 },
        { name: 'web', application: 8, host: '10.0.0.2', enabled: false },
      ],
      attributes: { site: 'oslo', 'net.ssid': 'lab', $svc: { categoryA: 'gates' } },
    })
    const { device, secret } = registerDevice
    expect(device).toMatchObject({
      id: expect.stringMatching(/^80(:[0-9a-f]{2}){7}$/),
      name: 'gate 1',
      hardwareId: 'HW-1',
      platform: 'linux',
      state: 'inactive',
      online: false,
      lastReported: null,
      attributes: { site: 'oslo', net: { ssid: 'lab' }, $svc: { categoryA: 'gates' } },
      owner: { id: owner.accountId, email: owner.email },
    })
    expect(device.services).toMatchObject([
      { name: 'ssh', application: 28, title: 'SSH', port: 22, host: null, enabled: true },
      { name: 'web', application: 8, title: 'HTTPS', port: 443, host: '10.0.0.2', enabled: false },
    ])
    const row = await app.db
      .selectFrom('device')
      .select('secret_hash')
      .where('id', '=', device.id)
      .executeTakeFirstOrThrow()
    expect(row.secret_hash).toEqual(createHash('sha256').update(secret).digest())
  })

  test('records one event, by the user who did it', async () => {
    const id = await newDevice('recorded', { attributes: { site: 'bergen' } })
    expect(await eventsOf(id)).toMatchObject([
      {
        type: 'DEVICE_REGISTER',
        data: { name: 'recorded', attributes: { site: 'bergen' } },
        actor: { id: owner.accountId },
        target: [{ id, name: 'recorded', kind: 'device' }],
      },
    ])
  })

  test('refuses a hardware id that is taken, and leaves no trace; another user may have the same', async () => {
    await newDevice('first', { hardwareId: 'TAKEN' })
    const [code, message] = refusal(await owner.query(register, { name: 'second', hardwareId: 'TAKEN' }))
    expect([code, message]).toEqual(['CONFLICT', expect.stringContaining('TAKEN')])
    const { login } = await owner.data('{ login { devices(name: "second") { total } } }')
    expect(login.devices.total).toBe(0)
    await other.data(register, { name: 'theirs', hardwareId: 'TAKEN' })
  })

  test.each([
    ['an empty name', { name: ' ' }, 'BAD_USER_INPUT', /^name /],
    ['a long name', { name: 'x'.repeat(101) }, 'LIMIT_EXCEEDED', /100 .* 101/],
    ['a name with U+0000', { name: 'a\u0000b' }, 'BAD_USER_INPUT', /^name /],
    ['a long hardware id', { name: 'n', hardwareId: 'x'.repeat(201) }, 'LIMIT_EXCEEDED', /200/],
    ['an empty platform', { name: 'n', platform: '' }, 'BAD_USER_INPUT', /^platform /],
    [
      'a port out of range',
      { name: 'n', services: [{ name: 'a', port: 65536 }] },
      'BAD_USER_INPUT',
      /services\[0\]\.port/,
    ],
    [
      'an unknown application',
      { name: 'n', services: [{ name: 'a', application: 999999 }] },
      'BAD_USER_INPUT',
      /services\[0\]\.application/,
    ],
    [
      'a second bulk service',
      { name: 'n', services: [{ name: 'a', application: 35 }] },
      'BAD_USER_INPUT',
      /bulk service/,
    ],
    [
      'a host with a blank',
      { name: 'n', services: [{ name: 'a', host: 'a b' }] },
      'BAD_USER_INPUT',
      /services\[0\]\.host/,
    ],
    [
      'too many services',
      { name: 'n', services: Array.from({ length: 101 }, () => ({ name: 's' })) },
      'LIMIT_EXCEEDED',
      /100.*101/,
    ],
    ['a wrong attribute', { name: 'n', attributes: { a: 1 } }, 'BAD_USER_INPUT', /attributes\.a/],
    ['a reserved attribute', { name: 'n', attributes: { $ui: { x: 'y' } } }, 'RESERVED_ATTRIBUTE', /\$ui/],
  ])('refuses %s', async (_what, variables, code, message) => {
    expect(refusal(await owner.query(register, variables))).toEqual([code, expect.stringMatching(message)])
  })

  test('counts characters, not bytes or UTF-16 units', async () => {
    await newDevice('🛰'.repeat(limits.deviceNameLength))
  })

  test('says that it is done where something fails that its answer selects', async () => {
    const query =
      'mutation { registerDevice(name: "done", hardwareId: "DONE") { secret device { events(size: 0) { total } } } }'
    expect(await owner.query(query)).toMatchObject({
      data: null,
      errors: [
        { path: ['registerDevice', 'device', 'events'], extensions: { code: 'BAD_USER_INPUT', outcome: 'done' } },
      ],
    })
    expect(refusal(await owner.query(query))).toEqual(['CONFLICT', expect.stringMatching(/taken/)])
  })

  test('of 20 at once with one hardware id, one goes in', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => owner.query(register, { name: `race ${index}`, hardwareId: 'RACE' })),
    )
    expect(answers.filter(({ errors }) => errors === undefined)).toHaveLength(1)
  })
})

describe('updateDevice', () => {
  const update = `mutation ($id: String!, $name: String, $hardwareId: String, $platform: String) {
    updateDevice(deviceId: $id, name: $name, hardwareId: $hardwareId, platform: $platform) { id name hardwareId platform } }`

  test('changes what is given, keeps what is left away, clears what is null', async () => {
    const id = await newDevice('before', { hardwareId: 'U-1', platform: 'linux' })
    expect((await owner.data(update, { id: id.toUpperCase(), name: 'after' })).updateDevice).toEqual({
      id,
      name: 'after',
      hardwareId: 'U-1',
      platform: 'linux',
    })
    expect((await owner.data(update, { id, hardwareId: null, platform: null, name: null })).updateDevice).toEqual({
      id,
      name: 'after',
      hardwareId: null,
      platform: null,
    })
    expect((await eventsOf(id)).map(({ type, data }: { type: string; data: object }) => [type, data])).toEqual([
      ['DEVICE_UPDATE', { changes: { hardwareId: { old: 'U-1', new: null }, platform: { old: 'linux', new: null } } }],
      ['DEVICE_UPDATE', { changes: { name: { old: 'before', new: 'after' } } }],
      ['DEVICE_REGISTER', expect.anything()],
    ])
  })

  test('records nothing when nothing changes', async () => {
    const id = await newDevice('same')
    await owner.data(update, { id, name: 'same' })
    expect(await eventsOf(id)).toHaveLength(1)
  })

  test('refuses a taken hardware id and changes nothing', async () => {
    await newDevice('holder', { hardwareId: 'HELD' })
    const id = await newDevice('wants it')
    expect(refusal(await owner.query(update, { id, hardwareId: 'HELD', name: 'x' }))[0]).toBe('CONFLICT')
    expect(await found(owner, id)).toMatchObject({ name: 'wants it', hardwareId: null })
  })

  test("does not find another user's device, an unknown id or what is no id", async () => {
    const id = await newDevice('mine')
    const answers = [
      await other.query(update, { id, name: 'taken over' }),
      await owner.query(update, { id: '80:00:00:00:00:00:00:00', name: 'x' }),
      await owner.query(update, { id: 'nonsense', name: 'x' }),
    ]
    expect(answers.map((answer) => refusal(answer)[0])).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'])
    expect(await found(owner, id)).toMatchObject({ name: 'mine' })
  })
})

describe('deleteDevice and deleteDevices', () => {
  const removeOne = 'mutation ($id: String!, $force: Boolean! = false) { deleteDevice(deviceId: $id, force: $force) }'
  const removeMany =
    'mutation ($id: [String!]!, $force: Boolean! = false) { deleteDevices(deviceId: $id, force: $force) }'
  const override =
    'mutation ($id: String!) { setAttribute(serviceId: $id, name: "site", value: "x", context: "night") }'

  test('removes the device with its services, attributes and overrides; its events stay', async () => {
    const { registerDevice } = await owner.data(register, { name: 'to go', services: [{ name: 'ssh', port: 22 }] })
    const { id, services } = registerDevice.device
    await owner.data(override, { id })
    await owner.data(override, { id: services[0].id })
    expect(await owner.data(removeOne, { id: id.toUpperCase() })).toEqual({ deleteDevice: true })

    expect(await found(owner, id)).toBeUndefined()
    const gone = await owner.data('query ($id: [String!]!) { login { service(id: $id) { id } } }', {
      id: [id, services[0].id],
    })
    expect(gone.login.service).toEqual([])
    const left = await app.db
      .selectFrom('attribute_override')
      .select('target_id')
      .where('target_id', 'in', [id, services[0].id])
      .execute()
    expect(left).toEqual([])
    expect((await eventsOf(id))[0]).toMatchObject({
      type: 'DEVICE_DELETE',
      data: { name: 'to go' },
      target: [{ id, name: 'to go', kind: 'device' }],
    })
  })

  test('refuses an active device unless forced', async () => {
    const id = await newDevice('busy')
    await makeActive(id)
    expect(refusal(await owner.query(removeOne, { id }))).toEqual(['CONFLICT', expect.stringContaining('force')])
    expect(await found(owner, id)).toBeDefined()
    await owner.data(removeOne, { id, force: true })
    expect(await found(owner, id)).toBeUndefined()
  })

  test('of several, one that is active, unknown or another user’s keeps all', async () => {
    const mine = await newDevice('kept')
    const active = await newDevice('active')
    await makeActive(active)
    const theirs = (await other.data(register, { name: 'theirs' })).registerDevice.device.id
    for (const [id, code] of [
      [active, 'CONFLICT'],
      [theirs, 'NOT_FOUND'],
      ['80:00:00:00:00:00:00:01', 'NOT_FOUND'],
      ['no id, and \u0000', 'NOT_FOUND'],
      ['\ud800', 'NOT_FOUND'],
    ] as const) {
      expect(refusal(await owner.query(removeMany, { id: [mine, id] }))[0]).toBe(code)
    }
    expect(await found(owner, mine)).toBeDefined()
    expect(await found(other, theirs)).toBeDefined()
    expect(await owner.data(removeMany, { id: [mine, mine.toUpperCase(), active], force: true })).toEqual({
      deleteDevices: true,
    })
    expect(await found(owner, mine)).toBeUndefined()
  })

  test('takes 1000 ids and no more', async () => {
    const id = Array.from({ length: 1001 }, () => '80:00:00:00:00:00:00:02')
    expect(refusal(await owner.query(removeMany, { id }))).toEqual([
      'LIMIT_EXCEEDED',
      expect.stringMatching(/1000.*1001/),
    ])
  })

  test('two at once in opposite order do not block each other', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, (_, index) => newDevice(`pair ${index}`)))
    const answers = await Promise.all([
      owner.query(removeMany, { id: ids }),
      owner.query(removeMany, { id: ids.toReversed() }),
    ])
    const outcomes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'deleted').sort()
    expect(outcomes).toEqual(['NOT_FOUND', 'deleted'])
  })
})
