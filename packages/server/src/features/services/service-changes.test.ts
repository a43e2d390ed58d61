import { beforeAll, describe, expect, test } from 'vitest'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let owner: TestUser
let other: TestUser
let deviceId: string

beforeAll(async () => {
  owner = app.owner
  other = await app.createUser()
  deviceId = await newDevice('gate')
})

async function newDevice(name: string): Promise<string> {
  const { registerDevice } = await owner.data(
    'mutation ($name: String!) { registerDevice(name: $name) { device { id } } }',
    { name },
  )
  return registerDevice.device.id
}

const fields = 'id name application title protocol host port enabled state online lastReported device { id }'
const add = `mutation ($deviceId: String!, $name: String!, $application: Int, $host: String, $port: Int, $enabled: Boolean) {
  addService(deviceId: $deviceId, name: $name, application: $application, host: $host, port: $port, enabled: $enabled) { ${fields} } }`
const update = `mutation ($id: ID!, $name: String, $application: Int, $host: String, $port: Int, $enabled: Boolean) {
  updateService(id: $id, name: $name, application: $application, host: $host, port: $port, enabled: $enabled) { ${fields} } }`
const rename = 'mutation ($id: String!, $name: String!) { renameService(serviceId: $id, name: $name) }'
const remove = 'mutation ($id: ID!) { removeService(id: $id) }'

const newService = async (name: string, more: Record<string, unknown> = {}): Promise<string> =>
  (await owner.data(add, { deviceId, name, ...more })).addService.id

const found = async (user: TestUser, id: string) =>
  (await user.data(`query ($id: [String!]!) { login { service(id: $id) { ${fields} } } }`, { id: [id] })).login
    .service[0]

const newest = async (id: string) =>
  (
    await owner.data(
      'query ($id: [String!]) { login { events(deviceId: $id, size: 1) { items { type data target { id name kind } } } } }',
      { id: [id] },
    )
  ).login.events.items[0]

function errorOf({
  errors,
}: {
  errors: { message: string; extensions: { code: string } }[] | undefined
}): [string, string] {
  expect(errors).toHaveLength(1)
  return [errors![0]!.extensions.code, errors![0]!.message]
}

describe('addService', () => {
  test('derives the type from the port, and the port from the type', async () => {
    const rows = [
      [{ port: 22 }, { application: 28, title: 'SSH', port: 22, protocol: 'tcp' }],
      [{ application: 5 }, { application: 5, title: 'RDP', port: 3389 }],
      [{ port: 47001 }, { application: 1, title: 'TCP', port: 47001 }],
      [{}, { application: 1, port: null }],
      [
        { application: 7, port: 8080, host: '192.168.1.5', enabled: false },
        { application: 7, port: 8080, host: '192.168.1.5', enabled: false },
      ],
    ] as const
    for (const [input, expected] of rows) {
      const { addService } = await owner.data(add, { deviceId: deviceId.toUpperCase(), name: 'typed', ...input })
      expect(addService).toMatchObject({
        ...expected,
        name: 'typed',
        state: 'inactive',
        online: false,
        device: { id: deviceId },
      })
      expect(addService.id).not.toBe(deviceId)
    }
  })

  test('records an event', async () => {
    const id = await newService('noted', { port: 80 })
    expect(await newest(deviceId)).toEqual({
      type: 'SERVICE_ADD',
      data: { name: 'noted', application: 7, host: null, port: 80, enabled: true },
      target: [
        { id, name: 'noted', kind: 'service' },
        { id: deviceId, name: 'gate', kind: 'device' },
      ],
    })
  })

  test('allows at most 100 services per device, even with concurrent requests', async () => {
    const crowded = await newDevice('crowded')
    const responses = await Promise.all(
      Array.from({ length: 110 }, (_, index) => owner.query(add, { deviceId: crowded, name: `s${index}` })),
    )
    const rejected = responses.filter(({ errors }) => errors !== undefined)
    expect(rejected).toHaveLength(10)
    expect(errorOf(rejected[0]!)).toEqual(['LIMIT_EXCEEDED', expect.stringMatching(/at most 100 .* 101/)])
  })

  test("returns NOT_FOUND for another user's device", async () => {
    expect(errorOf(await other.query(add, { deviceId, name: 'intruder' }))[0]).toBe('NOT_FOUND')
  })
})

describe('updateService and renameService', () => {
  test('change given fields, keep omitted fields, and clear nullable fields that are set to null', async () => {
    const id = await newService('before', { application: 7, host: 'h', port: 80 })
    const first = (await owner.data(update, { id: id.toUpperCase(), name: 'after', port: 81 })).updateService
    expect(first).toMatchObject({ id, name: 'after', application: 7, host: 'h', port: 81, enabled: true })
    const second = (await owner.data(update, { id, host: null, port: null, enabled: false, application: null }))
      .updateService
    expect(second).toMatchObject({ name: 'after', application: 7, host: null, port: null, enabled: false })
    expect(await newest(deviceId)).toMatchObject({
      type: 'SERVICE_UPDATE',
      data: {
        changes: { host: { old: 'h', new: null }, port: { old: 81, new: null }, enabled: { old: true, new: false } },
      },
    })
    expect(await owner.data(rename, { id, name: 'renamed' })).toEqual({ renameService: true })
    expect(await found(owner, id)).toMatchObject({ name: 'renamed' })
  })

  test('record no event when nothing changes', async () => {
    const id = await newService('same')
    const before = await newest(deviceId)
    await owner.data(update, { id, name: 'same' })
    expect(await newest(deviceId)).toEqual(before)
  })

  test.each([
    ['an empty name', { name: '' }, 'BAD_USER_INPUT'],
    ['a long name', { name: 'x'.repeat(101) }, 'LIMIT_EXCEEDED'],
    ['port 0', { port: 0 }, 'BAD_USER_INPUT'],
    ['an unknown type', { application: 12345 }, 'BAD_USER_INPUT'],
  ])('reject %s and change nothing', async (_name, change, code) => {
    const id = await newService('steady', { port: 5 })
    expect(errorOf(await owner.query(update, { id, host: 'new', ...change }))[0]).toBe(code)
    expect(await found(owner, id)).toMatchObject({ name: 'steady', port: 5, host: null })
  })

  test("return NOT_FOUND for another user's service", async () => {
    const id = await newService('mine')
    expect(errorOf(await other.query(update, { id, name: 'theirs' }))[0]).toBe('NOT_FOUND')
    expect(errorOf(await other.query(rename, { id, name: 'theirs' }))[0]).toBe('NOT_FOUND')
    expect(errorOf(await other.query(update, { id: deviceId, port: 1 }))[0]).toBe('NOT_FOUND')
    expect(await found(owner, id)).toMatchObject({ name: 'mine' })
  })
})

describe('a bulk service', () => {
  test('is renamed with its device by either mutation', async () => {
    const id = await newDevice('bulk')
    await owner.data(rename, { id, name: 'bulk 2' })
    expect(await found(owner, id)).toMatchObject({ id, name: 'bulk 2', application: 35, device: { id } })
    expect((await owner.data(update, { id, name: 'bulk 3' })).updateService).toMatchObject({ id, name: 'bulk 3' })
    expect(await newest(id)).toMatchObject({
      type: 'DEVICE_UPDATE',
      data: { changes: { name: { old: 'bulk 2', new: 'bulk 3' } } },
    })
  })

  test('can be renamed if application and enabled are null', async () => {
    const id = await newDevice('nulls')
    const change = { name: 'nulls 2', application: null, enabled: null }
    expect((await owner.data(update, { id, ...change })).updateService).toMatchObject({ id, name: 'nulls 2' })
    expect(errorOf(await owner.query(update, { id, name: 'nulls 3', host: null }))[0]).toBe('BAD_USER_INPUT')
    expect(await found(owner, id)).toMatchObject({ name: 'nulls 2' })
  })

  test('cannot be removed or changed in any other way', async () => {
    expect(errorOf(await owner.query(update, { id: deviceId, port: 22 }))).toEqual([
      'BAD_USER_INPUT',
      expect.stringContaining('bulk service'),
    ])
    expect(errorOf(await owner.query(update, { id: deviceId, name: 'x', enabled: false }))[0]).toBe('BAD_USER_INPUT')
    expect(errorOf(await owner.query(remove, { id: deviceId }))[0]).toBe('BAD_USER_INPUT')
    expect(await found(owner, deviceId)).toMatchObject({ name: 'gate' })
  })
})

describe('removeService', () => {
  test('removes the service with its overrides and records an event', async () => {
    const id = await newService('to go', { port: 22 })
    await owner.data('mutation ($id: String!) { setAttribute(serviceId: $id, name: "a", value: "b", context: "c") }', {
      id,
    })
    expect(await owner.data(remove, { id })).toEqual({ removeService: true })
    expect(await found(owner, id)).toBeUndefined()
    expect(
      await app.db.selectFrom('attribute_override').select('context').where('target_id', '=', id).execute(),
    ).toEqual([])
    expect(await newest(deviceId)).toMatchObject({ type: 'SERVICE_REMOVE', data: { name: 'to go', port: 22 } })
    expect(errorOf(await owner.query(remove, { id }))[0]).toBe('NOT_FOUND')
  })

  test("returns NOT_FOUND for another user's service or bulk service", async () => {
    const id = await newService('stays')
    expect(errorOf(await other.query(remove, { id }))[0]).toBe('NOT_FOUND')
    expect(errorOf(await other.query(remove, { id: deviceId }))[0]).toBe('NOT_FOUND')
    expect(await found(owner, id)).toBeDefined()
  })
})
