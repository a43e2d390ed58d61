import fc from 'fast-check'
import { pino } from 'pino'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { connectMqtt, registerDevice } from '../../test/clients/mqtt-device.ts'
import { connectPacket, openRaw, packet, publishPacket } from '../../test/clients/raw-mqtt.ts'
import { sharedTestApp } from '../../test/harness/app.ts'
import { repeatUntilFast } from '../../test/harness/repeat-until-fast.ts'

const lines: Record<string, unknown>[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
const app = sharedTestApp({ mqtt: true, log, env: { MUSTER_MQTT_SIGNING_ON: '20' } })
let url: string

beforeAll(async () => {
  url = `mqtt://127.0.0.1:${app.mqttPort}`
})

const connectRaw = async () => {
  const device = await registerDevice(app.owner)
  const connection = await openRaw(app.mqttPort)
  // The keep-alive interval is longer than the test.
  connection.socket.write(connectPacket(device, 600))
  await vi.waitFor(() => expect(connection.received()).toEqual(Buffer.from([0x20, 2, 0, 0])), { timeout: 60_000 })
  return { device, ...connection }
}

describe('an MQTT connection before authentication', () => {
  test('is closed if a partly received packet declares more than 16 KiB', async () => {
    const { socket, closed, received } = await openRaw(app.mqttPort)
    socket.write(packet(0x10, Buffer.from('MQ'), 17_000))
    await closed
    expect(received()).toHaveLength(0)
  })

  test('is closed after more than 16 KiB in small packets', async () => {
    const { socket, closed } = await openRaw(app.mqttPort)
    socket.write(Buffer.concat(Array.from({ length: 9_000 }, () => Buffer.from([0xc0, 0]))))
    await closed
  })

  test('is closed if it sends no data within 5 seconds', async () => {
    const began = performance.now()
    const { closed } = await openRaw(app.mqttPort)
    await closed
    expect(performance.now() - began).toBeGreaterThan(4_500)
  })

  test('counts toward the limit of its address', async () => {
    const { id, secret } = await registerDevice(app.owner)
    const client = await connectMqtt(url, { id, secret })
    // The server closes unauthenticated connections after 5 seconds, so this block must be faster.
    const first = await repeatUntilFast(4_000, async () => {
      const waiting = await Promise.all(Array.from({ length: 20 }, () => openRaw(app.mqttPort)))
      const late = await openRaw(app.mqttPort)
      const closed = await Promise.race([
        late.closed.then(() => 'the last'),
        ...waiting.map((each) => each.closed.then(() => 'a waiting connection')),
      ])
      for (const { socket } of waiting) socket.destroy()
      await client.publishAsync(`devices/${id}/attributes`, '{"site": "oslo"}', { qos: 1 })
      return closed
    })
    expect(first).toBe('the last')
    await vi.waitFor(() => connectMqtt(url, { id, secret }), { timeout: 60_000 })
  })

  test('is closed after too many bytes over WebSocket, too', async () => {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/mqtt`, ['mqtt'])
    await new Promise((resolve) => {
      socket.onopen = resolve
    })
    const closed = new Promise((resolve) => {
      socket.onclose = resolve
    })
    socket.send(packet(0x10, Buffer.alloc(40_000)))
    await closed
  })

  test.each(['/elsewhere', '/mqtt'])(
    'is rejected over WebSocket at %s if the path or the subprotocol is wrong',
    async (path) => {
      const socket = new WebSocket(`${app.url.replace('http', 'ws')}${path}`, path === '/mqtt' ? ['chat'] : ['mqtt'])
      const event = await new Promise<string>((resolve) => {
        socket.onopen = () => resolve('open')
        socket.onerror = () => resolve('error')
      })
      expect(event).toBe('error')
    },
  )
})

describe('a connection that violates the protocol', () => {
  test.each([
    ['unsupported protocol version', 'MQTT 5', packet(0x10, Buffer.from('\0\x04MQTT\x05\x02\0\0\0\0\x01x'))],
    ['unsupported protocol version', 'MQTT 6', packet(0x10, Buffer.from('\0\x04MQTT\x06\x02\0\0\0\0\x01x'))],
    ['unsupported protocol version', 'another protocol', packet(0x10, Buffer.from('\0\x03ABC\x04\x02\0\0\0\x01x'))],
    ['malformed packet', 'a TLS handshake', Buffer.from([0x16, 3, 1, 2, 0, 1])],
    ['unexpected packet', 'PINGREQ before CONNECT', Buffer.from([0xc0, 0])],
  ])('is counted and logged with the reason "%s": %s', async (reason, _what, bytes) => {
    const count = async () => {
      const metrics = await (await fetch(`${app.url}/metrics`)).text()
      return Number(new RegExp(`muster_mqtt_refusals_total\\{reason="${reason}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0)
    }
    const before = await count()
    const { socket, closed } = await openRaw(app.mqttPort)
    socket.write(bytes)
    await closed
    expect(await count()).toBe(before + 1)
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 40, msg: 'rejected over MQTT', reason, address: '127.0.0.1' }),
    )
  })
})

describe('an MQTT connection after authentication', () => {
  test('is closed as soon as a packet declares more than 256 KiB', async () => {
    const { device, socket, closed } = await connectRaw()
    socket.write(publishPacket(`devices/${device.id}/attributes`, Buffer.from('{"site": "oslo"}')))
    // If packets arrive together, the guard checks them in one step. The test therefore sends the next packet after the
    // guard has handled this one.
    await vi.waitFor(
      async () => {
        const found = await app.owner.data(`{ login { device(id: ["${device.id}"]) { attributes } } }`)
        expect(found.login.device).toEqual([{ attributes: { site: 'oslo' } }])
      },
      { timeout: 60_000 },
    )
    socket.write(packet(0x30, Buffer.from('x'), 256 * 1024))
    await closed
  })

  test.each([
    ['a length field of five bytes', Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01])],
    ['a second CONNECT', connectPacket({ id: '80:00:00:00:00:00:00:01', secret: 'x' }, 1)],
    ['a reserved packet type', packet(0xf0, Buffer.from('x'))],
    ['a topic with a wildcard', publishPacket('devices/#', Buffer.from('x'))],
    ['a deep topic', publishPacket('a/'.repeat(200), Buffer.from('x'))],
  ])('is closed because of %s', async (_what, bytes) => {
    const { socket, closed } = await connectRaw()
    socket.write(bytes)
    await closed
  })

  test('does not affect other devices when it sends random bytes', async () => {
    const device = await registerDevice(app.owner)
    const bystander = await connectMqtt(url, device)
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        async (isAuthenticated, bytes) => {
          const { socket, closed } = isAuthenticated ? await connectRaw() : await openRaw(app.mqttPort)
          socket.end(bytes)
          await closed
        },
      ),
      { numRuns: 40 },
    )
    await bystander.publishAsync(`devices/${device.id}/attributes`, '{"site": "oslo"}', { qos: 1 })
    expect(bystander.connected).toBe(true)
  })
})
