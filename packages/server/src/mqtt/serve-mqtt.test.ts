import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { findDevice as findDeviceOf } from '../../test/api/device-details.ts'
import { connectMqtt, nextEvent, registerDevice } from '../../test/clients/mqtt-device.ts'
import { connectPacket, openRaw } from '../../test/clients/raw-mqtt.ts'
import { sharedTestApp } from '../../test/harness/app.ts'

const app = sharedTestApp({ mqtt: true, env: { MUSTER_PRESENCE_HOLD: '1' } })
let url: string

beforeAll(async () => {
  url = `mqtt://127.0.0.1:${app.mqttPort}`
})

const findDevice = (id: string) => findDeviceOf(app.owner, id)

const stateEvents = async (id: string) =>
  (await findDevice(id)).events.items
    .filter(({ type }: { type: string }) => type === 'DEVICE_STATE')
    .map(({ state }: { state: string }) => state)

const untilState = (id: string, state: string) =>
  vi.waitFor(async () => expect((await findDevice(id)).state).toBe(state), { timeout: 60_000 })

describe('connecting a device over MQTT', () => {
  test('makes the device active, and the next query returns its publications', async () => {
    const device = await registerDevice(app.owner)
    expect(await findDevice(device.id)).toMatchObject({ state: 'inactive', lastReported: null })

    const client = await connectMqtt(url, device)
    await untilState(device.id, 'active')
    const attributes = { site: 'oslo', net: { ssid: 'lab' } }
    await client.publishAsync(`devices/${device.id}/attributes`, JSON.stringify(attributes), { qos: 1 })
    const found = await findDevice(device.id)
    expect(found).toMatchObject({ online: true, attributes })
    expect(found.lastReported).not.toBeNull()
    expect(found.events.items).toMatchObject([
      { type: 'ATTRIBUTE_CHANGE', actor: null },
      {
        type: 'DEVICE_STATE',
        state: 'active',
        actor: null,
        target: [{ id: device.id }],
        data: { address: '127.0.0.1' },
      },
    ])
  })

  test('accepts uppercase IDs in credentials and topics', async () => {
    const device = await registerDevice(app.owner)
    const id = device.id.toUpperCase()
    const client = await connectMqtt(url, { ...device, id })
    await client.publishAsync(`devices/${id}/attributes`, '{"site": "oslo"}', { qos: 1 })
    expect((await findDevice(device.id)).attributes).toEqual({ site: 'oslo' })
    expect(await client.subscribeAsync(`devices/${id}/services/ids`, { qos: 1 })).toMatchObject([{ qos: 1 }])
  })

  test('works over WebSocket', async () => {
    const device = await registerDevice(app.owner)
    const client = await connectMqtt(`${app.url.replace('http', 'ws')}/mqtt`, device)
    await untilState(device.id, 'active')
    await client.publishAsync(`devices/${device.id}/attributes`, '{"site": "oslo"}', { qos: 1 })
    expect((await findDevice(device.id)).attributes).toEqual({ site: 'oslo' })
    client.stream.destroy()
    await untilState(device.id, 'inactive')
  })

  test('accepts a packet in many WebSocket messages', async () => {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/mqtt`, ['mqtt'])
    onTestFinished(() => socket.close())
    socket.binaryType = 'arraybuffer'
    await new Promise((resolve) => {
      socket.onopen = resolve
    })
    const reply = new Promise<MessageEvent>((resolve, reject) => {
      socket.onmessage = resolve
      socket.onclose = () => reject(new Error('the connection was closed'))
    })
    for (const byte of connectPacket(await registerDevice(app.owner), 600)) socket.send(Uint8Array.of(byte))
    expect(Buffer.from((await reply).data)[0]).toBe(0x20)
  })

  test('rejects a wrong secret, an unknown device, and a client ID that differs from the user name', async () => {
    const device = await registerDevice(app.owner)
    const other = await registerDevice(app.owner)
    await expect(connectMqtt(url, { ...device, secret: other.secret })).rejects.toMatchObject({ code: 4 })
    await expect(connectMqtt(url, { ...device, secret: '' })).rejects.toMatchObject({ code: 4 })
    await expect(connectMqtt(url, { ...device, id: '80:00:00:00:00:00:00:00' })).rejects.toMatchObject({ code: 4 })
    await expect(connectMqtt(url, device, { clientId: other.id })).rejects.toMatchObject({ code: 4 })
    await expect(connectMqtt(url, device, { clientId: 'gateway', username: 'gateway' })).rejects.toMatchObject({
      code: 4,
    })
    await expect(connectMqtt(url, device, { username: 'gateway' })).rejects.toMatchObject({ code: 4 })
    await expect(connectMqtt(url, device, { clientId: 'gateway' })).rejects.toMatchObject({ code: 2 })
    expect((await findDevice(device.id)).state).toBe('inactive')
  })

  test('rejects MQTT 5', async () => {
    const device = await registerDevice(app.owner)
    await expect(connectMqtt(url, device, { protocolVersion: 5 })).rejects.toThrow()
  })

  test("replaces the device's previous connection without changing its state", async () => {
    const device = await registerDevice(app.owner)
    const first = await connectMqtt(url, device)
    await untilState(device.id, 'active')
    const ended = nextEvent(first, 'close')
    const second = await connectMqtt(url, device)
    await ended
    await second.publishAsync(`devices/${device.id}/attributes`, '{"site": "oslo"}', { qos: 1 })
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await stateEvents(device.id)).toEqual(['active'])
  })
})

describe('disconnecting a device from MQTT', () => {
  /** Connects, disconnects, and reconnects a device. `took` is the time without a connection, in milliseconds. */
  const reconnect = async () => {
    const device = await registerDevice(app.owner)
    const client = await connectMqtt(url, device)
    await untilState(device.id, 'active')
    const { stateSince } = await findDevice(device.id)
    const began = performance.now()
    client.stream.destroy()
    await connectMqtt(url, device)
    return { device, stateSince, took: performance.now() - began }
  }

  test('does not change the state of a device that reconnects within the grace period', async () => {
    let attempt = await reconnect()
    // A slow machine can exceed the grace period, so the test retries with another device.
    while (attempt.took > 700) attempt = await reconnect()
    const { device, stateSince } = attempt
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await findDevice(device.id)).toMatchObject({ state: 'active', stateSince })
    expect(await stateEvents(device.id)).toEqual(['active'])
  })

  test('makes the device inactive after the grace period', async () => {
    const device = await registerDevice(app.owner)
    const client = await connectMqtt(url, device)
    await untilState(device.id, 'active')
    await client.endAsync()
    await untilState(device.id, 'inactive')
    expect(await stateEvents(device.id)).toEqual(['inactive', 'active'])
  })

  test('happens if the device stops sending packets', async () => {
    const device = await registerDevice(app.owner)
    const { socket, closed } = await openRaw(app.mqttPort)
    socket.write(connectPacket(device, 1))
    await closed
    // The test polls the events, because the device may be active for less time than a query takes.
    await vi.waitFor(async () => expect(await stateEvents(device.id)).toEqual(['inactive', 'active']), {
      timeout: 60_000,
    })
    expect((await findDevice(device.id)).state).toBe('inactive')
  })

  test('happens when the secret is rotated or the device is deleted', async () => {
    const device = await registerDevice(app.owner)
    const client = await connectMqtt(url, device)
    await untilState(device.id, 'active')
    const cut = nextEvent(client, 'close')
    await app.owner.data(`mutation { rotateDeviceSecret(deviceId: "${device.id}") { secret } }`)
    await cut
    await expect(connectMqtt(url, device)).rejects.toMatchObject({ code: 4 })

    const deleted = await registerDevice(app.owner)
    const second = await connectMqtt(url, deleted)
    await untilState(deleted.id, 'active')
    const ended = nextEvent(second, 'close')
    expect((await app.owner.query(`mutation { deleteDevice(deviceId: "${deleted.id}") }`)).errors).toMatchObject([
      { extensions: { code: 'CONFLICT' } },
    ])
    await app.owner.data(`mutation { deleteDevice(deviceId: "${deleted.id}", force: true) }`)
    await ended
  })
})
