import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { errorOf, eventsOf, findDevice, newDevice, register } from '../../../../test/api/devices.ts'
import { sharedTestApp, type TestUser } from '../../../../test/harness/app.ts'
import { limits } from '../../../limits.ts'

const app = sharedTestApp()
let owner: TestUser
let other: TestUser

beforeAll(async () => {
  owner = app.owner
  other = await app.createUser()
})

describe('registerDevice', () => {
  test('adds a device with its services and attributes and returns its secret', async () => {
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

  test('records one event with the user as actor', async () => {
    const id = await newDevice(owner, 'recorded', { attributes: { site: 'bergen' } })
    expect(await eventsOf(owner, id)).toMatchObject([
      {
        type: 'DEVICE_REGISTER',
        data: { name: 'recorded', attributes: { site: 'bergen' } },
        actor: { id: owner.accountId },
        target: [{ id, name: 'recorded', kind: 'device' }],
      },
    ])
  })

  test('rejects a hardware ID that is in use, changes nothing, and allows the same ID for another user', async () => {
    await newDevice(owner, 'first', { hardwareId: 'TAKEN' })
    const [code, message] = errorOf(await owner.query(register, { name: 'second', hardwareId: 'TAKEN' }))
    expect([code, message]).toEqual(['CONFLICT', expect.stringContaining('TAKEN')])
    const { login } = await owner.data('{ login { devices(name: "second") { total } } }')
    expect(login.devices.total).toBe(0)
    await other.data(register, { name: 'theirs', hardwareId: 'TAKEN' })
  })

  test.each([
    ['a name of only spaces', { name: ' ' }, 'BAD_USER_INPUT', /^name /],
    ['a long name', { name: 'x'.repeat(101) }, 'LIMIT_EXCEEDED', /100 .* 101/],
    ['a name with U+0000', { name: 'a\u0000b' }, 'BAD_USER_INPUT', /^name /],
    ['a long hardware ID', { name: 'n', hardwareId: 'x'.repeat(201) }, 'LIMIT_EXCEEDED', /200/],
    ['an empty platform', { name: 'n', platform: '' }, 'BAD_USER_INPUT', /^platform /],
    [
      'an out-of-range port',
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
      'a host with a space',
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
    ['an invalid attribute', { name: 'n', attributes: { a: 1 } }, 'BAD_USER_INPUT', /attributes\.a/],
    ['a reserved attribute', { name: 'n', attributes: { $ui: { x: 'y' } } }, 'RESERVED_ATTRIBUTE', /\$ui/],
  ])('rejects %s', async (_name, variables, code, message) => {
    expect(errorOf(await owner.query(register, variables))).toEqual([code, expect.stringMatching(message)])
  })

  test('measures the name in characters, not in bytes or UTF-16 code units', async () => {
    await newDevice(owner, '🛰'.repeat(limits.deviceNameLength))
  })

  test('reports the outcome "done" if a selected field fails after the change', async () => {
    const query =
      'mutation { registerDevice(name: "done", hardwareId: "DONE") { secret device { events(size: 0) { total } } } }'
    expect(await owner.query(query)).toMatchObject({
      data: null,
      errors: [
        { path: ['registerDevice', 'device', 'events'], extensions: { code: 'BAD_USER_INPUT', outcome: 'done' } },
      ],
    })
    expect(errorOf(await owner.query(query))).toEqual(['CONFLICT', expect.stringMatching(/in use/)])
  })

  test('accepts exactly one of 20 concurrent registrations with the same hardware ID', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => owner.query(register, { name: `race ${index}`, hardwareId: 'RACE' })),
    )
    expect(responses.filter(({ errors }) => errors === undefined)).toHaveLength(1)
  })
})

describe('updateDevice', () => {
  const update = `mutation ($id: String!, $name: String, $hardwareId: String, $platform: String) {
    updateDevice(deviceId: $id, name: $name, hardwareId: $hardwareId, platform: $platform) { id name hardwareId platform } }`

  test('changes given fields, keeps omitted fields, and clears nullable fields that are set to null', async () => {
    const id = await newDevice(owner, 'before', { hardwareId: 'U-1', platform: 'linux' })
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
    expect((await eventsOf(owner, id)).map(({ type, data }: { type: string; data: object }) => [type, data])).toEqual([
      ['DEVICE_UPDATE', { changes: { hardwareId: { old: 'U-1', new: null }, platform: { old: 'linux', new: null } } }],
      ['DEVICE_UPDATE', { changes: { name: { old: 'before', new: 'after' } } }],
      ['DEVICE_REGISTER', expect.anything()],
    ])
  })

  test('records no event when nothing changes', async () => {
    const id = await newDevice(owner, 'same')
    await owner.data(update, { id, name: 'same' })
    expect(await eventsOf(owner, id)).toHaveLength(1)
  })

  test('rejects a hardware ID that is in use and changes nothing', async () => {
    await newDevice(owner, 'holder', { hardwareId: 'HELD' })
    const id = await newDevice(owner, 'wants it')
    expect(errorOf(await owner.query(update, { id, hardwareId: 'HELD', name: 'x' }))[0]).toBe('CONFLICT')
    expect(await findDevice(owner, id)).toMatchObject({ name: 'wants it', hardwareId: null })
  })

  test("returns NOT_FOUND for another user's device, an unknown ID, and an invalid ID", async () => {
    const id = await newDevice(owner, 'mine')
    const responses = [
      await other.query(update, { id, name: 'taken over' }),
      await owner.query(update, { id: '80:00:00:00:00:00:00:00', name: 'x' }),
      await owner.query(update, { id: 'nonsense', name: 'x' }),
    ]
    expect(responses.map((response) => errorOf(response)[0])).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'])
    expect(await findDevice(owner, id)).toMatchObject({ name: 'mine' })
  })
})
