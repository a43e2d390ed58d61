import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { errorOf, eventsOf, findDevice, newDevice, register } from '../../../../test/api/devices.ts'
import { sharedTestApp, type TestUser } from '../../../../test/harness/app.ts'

const app = sharedTestApp()
let owner: TestUser
let other: TestUser

beforeAll(async () => {
  owner = app.owner
  other = await app.createUser()
})

async function makeActive(id: string): Promise<void> {
  await app.db.updateTable('device_live').set({ state: 'active' }).where('device_id', '=', id).execute()
}

describe('deleteDevice and deleteDevices', () => {
  const removeOne = 'mutation ($id: String!, $force: Boolean! = false) { deleteDevice(deviceId: $id, force: $force) }'
  const removeMany =
    'mutation ($id: [String!]!, $force: Boolean! = false) { deleteDevices(deviceId: $id, force: $force) }'
  const override =
    'mutation ($id: String!) { setAttribute(serviceId: $id, name: "site", value: "x", context: "night") }'

  test('removes the device with its services, attributes, and overrides, and keeps its events', async () => {
    const { registerDevice } = await owner.data(register, { name: 'to go', services: [{ name: 'ssh', port: 22 }] })
    const { id, services } = registerDevice.device
    await owner.data(override, { id })
    await owner.data(override, { id: services[0].id })
    expect(await owner.data(removeOne, { id: id.toUpperCase() })).toEqual({ deleteDevice: true })

    expect(await findDevice(owner, id)).toBeUndefined()
    const response = await owner.data('query ($id: [String!]!) { login { service(id: $id) { id } } }', {
      id: [id, services[0].id],
    })
    expect(response.login.service).toEqual([])
    const left = await app.db
      .selectFrom('attribute_override')
      .select('target_id')
      .where('target_id', 'in', [id, services[0].id])
      .execute()
    expect(left).toEqual([])
    expect((await eventsOf(owner, id))[0]).toMatchObject({
      type: 'DEVICE_DELETE',
      data: { name: 'to go' },
      target: [{ id, name: 'to go', kind: 'device' }],
    })
  })

  test('records the contents of a deleted device up to 256 KiB', async () => {
    for (const count of [4, 5]) {
      const services = Array.from({ length: count }, (_, index) => ({ name: `ssh ${index}`, port: 22 }))
      const { registerDevice } = await owner.data(register, { name: 'large', services })
      const { id } = registerDevice.device
      await sql`update service set attributes = jsonb_build_object('text', repeat('x', 60000)) where device_id = ${id}`.execute(
        app.db,
      )
      await owner.data(removeOne, { id })
      const [{ data }] = await eventsOf(owner, id)
      expect([count, data.omitted, data.services?.length]).toEqual(
        count === 4 ? [4, undefined, 4] : [5, true, undefined],
      )
    }
  })

  test('rejects an active device unless force is true', async () => {
    const id = await newDevice(owner, 'busy')
    await makeActive(id)
    expect(errorOf(await owner.query(removeOne, { id }))).toEqual(['CONFLICT', expect.stringContaining('force')])
    expect(await findDevice(owner, id)).toBeDefined()
    await owner.data(removeOne, { id, force: true })
    expect(await findDevice(owner, id)).toBeUndefined()
  })

  test('removes no device if any is unknown, owned by another user, or, without force, active', async () => {
    const mine = await newDevice(owner, 'kept')
    const active = await newDevice(owner, 'active')
    await makeActive(active)
    const theirs = (await other.data(register, { name: 'theirs' })).registerDevice.device.id
    for (const [id, code] of [
      [active, 'CONFLICT'],
      [theirs, 'NOT_FOUND'],
      ['80:00:00:00:00:00:00:01', 'NOT_FOUND'],
      ['no id, and \u0000', 'NOT_FOUND'],
      ['\ud800', 'NOT_FOUND'],
    ] as const) {
      expect(errorOf(await owner.query(removeMany, { id: [mine, id] }))[0]).toBe(code)
    }
    expect(await findDevice(owner, mine)).toBeDefined()
    expect(await findDevice(other, theirs)).toBeDefined()
    expect(await owner.data(removeMany, { id: [mine, mine.toUpperCase(), active], force: true })).toEqual({
      deleteDevices: true,
    })
    expect(await findDevice(owner, mine)).toBeUndefined()
  })

  test('rejects more than 1,000 IDs', async () => {
    const id = Array.from({ length: 1001 }, () => '80:00:00:00:00:00:00:02')
    expect(errorOf(await owner.query(removeMany, { id }))).toEqual([
      'LIMIT_EXCEEDED',
      expect.stringMatching(/1000.*1001/),
    ])
  })

  test('does not deadlock when concurrent calls list the IDs in opposite orders', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, (_, index) => newDevice(owner, `pair ${index}`)))
    const responses = await Promise.all([
      owner.query(removeMany, { id: ids }),
      owner.query(removeMany, { id: ids.toReversed() }),
    ])
    const outcomes = responses.map(({ errors }) => errors?.[0]?.extensions.code ?? 'deleted').sort()
    expect(outcomes).toEqual(['NOT_FOUND', 'deleted'])
  })
})
