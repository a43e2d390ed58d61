import { beforeAll, describe, expect, test, vi } from 'vitest'
import { findDevice as findDeviceOf } from '../../test/api/device-details.ts'
import { connectMqtt, nextEvent, registerDevice } from '../../test/clients/mqtt-device.ts'
import { sharedTestApp } from '../../test/harness/app.ts'

const app = sharedTestApp({ mqtt: true, env: { MUSTER_PRESENCE_HOLD: '1' } })
let url: string

beforeAll(async () => {
  url = `mqtt://127.0.0.1:${app.mqttPort}`
})

const findDevice = (id: string) => findDeviceOf(app.owner, id)

const untilState = (id: string, state: string) =>
  vi.waitFor(async () => expect((await findDevice(id)).state).toBe(state), { timeout: 60_000 })

describe('the MQTT server', () => {
  test.each([
    ['of another device', (other: string) => `devices/${other}/attributes`],
    ['of the server', () => '$SYS/broker/x'],
    ['without a device', () => 'somewhere/else'],
    ['that does not exist', (_other: string, own: string) => `devices/${own}/color`],
  ])('closes the connection and changes nothing after a publication to a topic %s', async (_what, topicOf) => {
    const [device, other] = [await registerDevice(app.owner), await registerDevice(app.owner)]
    const client = await connectMqtt(url, device)
    const bystander = await connectMqtt(url, other)
    const closed = nextEvent(client, 'close')
    client.publish(topicOf(other.id, device.id), '{"site": "oslo"}', { qos: 1 })
    await closed
    expect((await findDevice(other.id)).attributes).toEqual({})
    await bystander.publishAsync(`devices/${other.id}/attributes`, '{"site": "bergen"}', { qos: 1 })
  })

  test("rejects subscriptions to another device's topics in SUBACK", async () => {
    const [device, other] = [await registerDevice(app.owner), await registerDevice(app.owner)]
    const client = await connectMqtt(url, device)
    const filters = ['#', '+/+/#', '$SYS/#', 'devices/#', 'devices/+/services/ids', `devices/${other.id}/services/ids`]
    for (const filter of filters) await expect(client.subscribeAsync(filter)).rejects.toThrow()
    expect(await client.subscribeAsync(`devices/${device.id}/#`)).toMatchObject([{ qos: 0 }])
  })

  test('accepts up to 20 filters per connection, and counts a repeated filter once', async () => {
    const device = await registerDevice(app.owner)
    // Without this option, the client would not send a repeated subscription.
    const client = await connectMqtt(url, device, { resubscribe: false })
    const filters = Array.from({ length: 21 }, (_, index) => `devices/${device.id}/services/${index}`)
    const [first = '', second = ''] = filters
    for (let time = 0; time < 25; time++) await client.subscribeAsync(first)
    for (let time = 0; time < 25; time++) {
      await client.subscribeAsync(second)
      await client.unsubscribeAsync(second)
    }
    expect(await client.subscribeAsync(filters.slice(0, 20))).toHaveLength(20)
    const last = filters.at(-1)!
    await expect(client.subscribeAsync(last)).rejects.toThrow()
    await client.unsubscribeAsync(second)
    expect(await client.subscribeAsync(last)).toMatchObject([{ topic: last, qos: 0 }])
  })

  test("rejects topics that contain the ID of another user's device", async () => {
    const other = await registerDevice(await app.createUser())
    const device = await registerDevice(app.owner)
    const client = await connectMqtt(url, device)
    const closed = nextEvent(client, 'close')
    client.publish(`devices/${device.id}/services/${other.id}/attributes`, '{"site": "oslo"}', { qos: 1 })
    await closed
  })
})

describe('publications of a device', () => {
  test.each([
    ['invalid JSON', 'site=oslo'],
    ['a JSON array', '["oslo"]'],
    ['a numeric attribute value', '{"site": 1}'],
    ['an empty object', '{}'],
    ['a reserved name', '{"$secret": "x"}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['a value over its limit', JSON.stringify({ site: 'x'.repeat(17_000) })],
  ])('close the connection without an acknowledgment or a change if they contain %s', async (_what, payload) => {
    const device = await registerDevice(app.owner)
    const client = await connectMqtt(url, device)
    let isAcknowledged = false
    const closed = nextEvent(client, 'close')
    client.publish(`devices/${device.id}/attributes`, payload, { qos: 1 }, (error) => {
      isAcknowledged = error == null
    })
    await closed
    expect(isAcknowledged).toBe(false)
    expect((await findDevice(device.id)).attributes).toEqual({})
  })

  test('are stored before they are acknowledged, even from many devices at the same time', async () => {
    const devices = await Promise.all(Array.from({ length: 30 }, (_, index) => registerDevice(app.owner, `d${index}`)))
    await Promise.all(
      devices.map(async (device, index) => {
        const client = await connectMqtt(url, device)
        for (let round = 0; round < 5; round++) {
          const payload = JSON.stringify({ round: String(round), index: String(index) })
          await client.publishAsync(`devices/${device.id}/attributes`, payload, { qos: round % 2 === 0 ? 1 : 2 })
        }
        expect((await findDevice(device.id)).attributes).toEqual({ round: '4', index: String(index) })
      }),
    )
  })

  test('add, update, and remove services with a list of services, and receive a reply with IDs', async () => {
    const device = await registerDevice(app.owner)
    await app.owner.data(`mutation { addService(deviceId: "${device.id}", name: "ssh", port: 22) { id } }`)
    const client = await connectMqtt(url, device)
    await client.subscribeAsync(`devices/${device.id}/services/ids`)
    const publish = async (services: object[]) => {
      const reply = nextEvent(client, 'message')
      await client.publishAsync(`devices/${device.id}/services`, JSON.stringify(services), { qos: 1 })
      const [topic, payload] = (await reply) as [string, Buffer]
      expect(topic).toBe(`devices/${device.id}/services/ids`)
      return JSON.parse(payload.toString())
    }
    const first = await publish([
      { name: 'web', port: 80 },
      { name: 'ssh', port: 2222 },
    ])
    expect(first.map(({ name }: { name: string }) => name)).toEqual(['web', 'ssh'])
    const { services } = await findDevice(device.id)
    expect(services).toMatchObject([
      { name: 'ssh', port: 2222, id: first[1].id },
      { name: 'web', port: 80, id: first[0].id },
    ])
    expect(await publish([])).toEqual([])
    const found = await findDevice(device.id)
    expect(found.services).toMatchObject([{ name: 'ssh' }])
    const changes = found.events.items.filter(
      ({ type, actor }: { type: string; actor: unknown }) => type.startsWith('SERVICE') && actor === null,
    )
    expect(changes.map(({ type }: { type: string }) => type)).toEqual([
      'SERVICE_REMOVE',
      'SERVICE_UPDATE',
      'SERVICE_ADD',
    ])
  })

  test('override the state that a service inherits from its device', async () => {
    const device = await registerDevice(app.owner)
    const { addService } = await app.owner.data(
      `mutation { addService(deviceId: "${device.id}", name: "ssh", port: 22) { id } }`,
    )
    await app.owner.data(`mutation { addService(deviceId: "${device.id}", name: "web", port: 80) { id } }`)
    const client = await connectMqtt(url, device)
    await untilState(device.id, 'active')
    expect((await findDevice(device.id)).services).toMatchObject([{ state: 'active' }, { state: 'active' }])

    const topic = `devices/${device.id}/services/${addService.id}`
    await client.publishAsync(`${topic}/state`, 'inactive', { qos: 1 })
    await client.publishAsync(`${topic}/attributes`, '{"version": "9"}', { qos: 1 })
    expect((await findDevice(device.id)).services).toMatchObject([
      { name: 'ssh', state: 'inactive', online: false, attributes: { version: '9' } },
      { name: 'web', state: 'active' },
    ])
    await client.publishAsync(`${topic}/state`, '"active"', { qos: 1 })
    await client.endAsync()
    await untilState(device.id, 'inactive')
    const found = await findDevice(device.id)
    expect(found.services).toMatchObject([{ state: 'inactive' }, { state: 'inactive', lastReported: null }])
    const events = found.events.items.filter(({ type }: { type: string }) => type.endsWith('STATE'))
    expect(events).toMatchObject([
      { type: 'SERVICE_STATE', state: 'inactive', target: [{ id: addService.id }, { id: device.id }] },
      { type: 'DEVICE_STATE', state: 'inactive' },
      { type: 'SERVICE_STATE', state: 'active' },
      { type: 'SERVICE_STATE', state: 'inactive' },
      { type: 'DEVICE_STATE', state: 'active' },
    ])
  })

  test('are applied from the will when the connection breaks', async () => {
    const device = await registerDevice(app.owner)
    const will = { topic: `devices/${device.id}/attributes`, payload: Buffer.from('{"site": "lost"}'), qos: 1 as const }
    const client = await connectMqtt(url, device, { will })
    client.stream.destroy()
    await vi.waitFor(async () => expect((await findDevice(device.id)).attributes).toEqual({ site: 'lost' }), {
      timeout: 60_000,
    })
    const foreign = { ...will, topic: 'somewhere/else' }
    await expect(connectMqtt(url, device, { will: foreign })).rejects.toMatchObject({ code: 5 })
  })
})

test('does not store retained messages', async () => {
  const device = await registerDevice(app.owner)
  const client = await connectMqtt(url, device)
  await client.publishAsync(`devices/${device.id}/attributes`, '{"site": "oslo"}', { qos: 1, retain: true })
  const messages: string[] = []
  client.on('message', (topic) => messages.push(topic))
  await client.subscribeAsync(`devices/${device.id}/#`, { qos: 1 })
  await client.publishAsync(`devices/${device.id}/services`, '[]', { qos: 1 })
  await vi.waitFor(() => expect(messages).toContain(`devices/${device.id}/services/ids`), { timeout: 60_000 })
  expect(messages).not.toContain(`devices/${device.id}/attributes`)
})
