import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { connectMqtt, registerDevice } from '../../../test/clients/mqtt-device.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { repeatUntilFast } from '../../../test/harness/repeat-until-fast.ts'

const app = sharedTestApp({ mqtt: true, env: { MUSTER_PRESENCE_HOLD: '1' } })

const report = (id: string, state: string, ttl = 300) =>
  app.owner.query(
    'mutation ($id: String!, $state: String!, $ttl: Int) { reportState(serviceId: $id, state: $state, ttl: $ttl) }',
    {
      id,
      state,
      ttl,
    },
  )

const addService = async (deviceId: string): Promise<string> => {
  const { addService: added } = await app.owner.data(
    `mutation { addService(deviceId: "${deviceId}", name: "ssh") { id } }`,
  )
  return added.id
}

const findDevice = async (id: string) => {
  const { login } = await app.owner.data(
    `{ login { device(id: ["${id}"]) { state lastReported services { state lastReported } active: services(state: "active") { id }
       sorted: services(sort: "state") { id }
       events(types: [DEVICE_STATE, SERVICE_STATE]) { items { type state } } } } }`,
  )
  const [device] = login.device
  const events = device.events.items.map(({ type, state }: Record<string, string>) => `${type} ${state}`).toReversed()
  return { ...device, events }
}

const untilInactive = (id: string) =>
  vi.waitFor(async () => expect((await findDevice(id)).state).toBe('inactive'), { timeout: 60_000 })

describe('a report with a ttl', () => {
  test('keeps a device active for ttl seconds', async () => {
    const { id, found } = await repeatUntilFast(1_800, async () => {
      const device = await registerDevice(app.owner)
      expect((await report(device.id, 'active', 2)).errors).toBeUndefined()
      return { id: device.id, found: await findDevice(device.id) }
    })
    expect(found).toMatchObject({ state: 'active', events: ['DEVICE_STATE active'] })
    await untilInactive(id)
    expect((await findDevice(id)).events).toEqual(['DEVICE_STATE active', 'DEVICE_STATE inactive'])
  })

  test('extends the active state until an inactive report ends it', async () => {
    const { id } = await repeatUntilFast(900, async () => {
      const device = await registerDevice(app.owner)
      await report(device.id, 'active', 1)
      await report(device.id, 'active', 300)
      return device
    })
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect((await findDevice(id)).state).toBe('active')
    await report(id, 'inactive')
    expect(await findDevice(id)).toMatchObject({
      state: 'inactive',
      events: ['DEVICE_STATE active', 'DEVICE_STATE inactive'],
    })
  })

  test('keeps a service active until the ttl ends or the device becomes inactive', async () => {
    const { id, serviceId, found } = await repeatUntilFast(1_800, async () => {
      const device = await registerDevice(app.owner)
      const service = await addService(device.id)
      await report(device.id, 'active', 300)
      await report(service, 'active', 2)
      return { id: device.id, serviceId: service, found: await findDevice(device.id) }
    })
    expect(found).toMatchObject({ state: 'active', services: [{ state: 'active' }], active: [{ id: serviceId }] })
    await vi.waitFor(async () => expect((await findDevice(id)).services[0].state).toBe('inactive'), {
      timeout: 60_000,
    })
    expect((await findDevice(id)).state).toBe('active')

    await report(serviceId, 'active', 300)
    await report(id, 'inactive')
    const after = await findDevice(id)
    expect(after).toMatchObject({ state: 'inactive', services: [{ state: 'inactive' }], active: [] })
    expect(after.events).toEqual([
      'DEVICE_STATE active',
      'SERVICE_STATE inactive',
      'SERVICE_STATE active',
      'DEVICE_STATE inactive',
      'SERVICE_STATE inactive',
    ])
  })

  test('makes a device active when the report makes a service of the device active', async () => {
    const { id, events } = await repeatUntilFast(1_800, async () => {
      const device = await registerDevice(app.owner)
      await report(await addService(device.id), 'active', 2)
      return { id: device.id, events: (await findDevice(device.id)).events }
    })
    expect(events).toEqual(['DEVICE_STATE active', 'SERVICE_STATE active'])
    await untilInactive(id)
  })

  test('does not make a connected device inactive, even after the ttl', async () => {
    const device = await registerDevice(app.owner)
    await connectMqtt(`mqtt://127.0.0.1:${app.mqttPort}`, device)
    await vi.waitFor(async () => expect((await findDevice(device.id)).state).toBe('active'), { timeout: 60_000 })
    expect((await report(device.id, 'inactive')).errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }])
    await report(device.id, 'active', 1)
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect((await findDevice(device.id)).events).toEqual(['DEVICE_STATE active'])
  })
})

test("rejects reports for another user's devices", async () => {
  const { id } = await registerDevice(await app.createUser())
  expect((await report(id, 'active')).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
})

test('keeps connected devices active, and writes pending changes, after all database connections break', async () => {
  const [connected, disconnecting] = [await registerDevice(app.owner), await registerDevice(app.owner)]
  const url = `mqtt://127.0.0.1:${app.mqttPort}`
  await connectMqtt(url, connected)
  const client = await connectMqtt(url, disconnecting)
  await vi.waitFor(async () => expect((await findDevice(disconnecting.id)).state).toBe('active'), { timeout: 60_000 })
  await client.endAsync()
  await breakConnections()
  await untilInactive(disconnecting.id)
  expect((await findDevice(connected.id)).events).toEqual(['DEVICE_STATE active'])
})

async function breakConnections(): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(app.db)
}
