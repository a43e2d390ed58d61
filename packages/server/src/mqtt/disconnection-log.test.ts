import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { findDevice } from '../../test/api/device-details.ts'
import { rotate } from '../../test/api/device-registration.ts'
import { connectMqtt, nextEvent, type RegisteredDevice, registerDevice } from '../../test/clients/mqtt-device.ts'
import { sharedTestApp, type TestApp } from '../../test/harness/app.ts'
import { createDisconnectionLog, disconnected } from './disconnection-log.ts'

describe('the log of disconnections', () => {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const app = sharedTestApp({ mqtt: true, log })
  let other: TestApp
  beforeAll(async () => {
    other = await app.startAnother({ mqtt: true })
  })
  afterAll(() => other.close())

  let device: RegisteredDevice
  let ended: Promise<unknown>
  beforeEach(async () => {
    device = await registerDevice(app.owner)
    ended = nextEvent(await connectMqtt(mqttOf(app), device), 'close')
    // Another server can take over the device only after the database stores which server the device is connected to.
    const state = async () => (await findDevice(app.owner, device.id)).state
    await vi.waitFor(async () => expect(await state()).toBe('active'), { timeout: 60_000 })
  })

  const mqttOf = ({ mqttPort }: TestApp): string => `mqtt://127.0.0.1:${mqttPort}`

  test.each<[string, () => Promise<unknown>]>([
    [disconnected.connectedAgain, () => connectMqtt(mqttOf(app), device)],
    [disconnected.connectedElsewhere, () => connectMqtt(mqttOf(other), device)],
    [disconnected.cutOff, () => app.owner.data(rotate, { id: device.id })],
  ])('contains the reason: %s', async (reason, end) => {
    await end()
    await ended
    const logged = () => lines.filter((line) => line.device === device.id && line.msg === 'a device was disconnected')
    await vi.waitFor(() => expect(logged()).not.toEqual([]), { timeout: 60_000 })
    expect(logged()).toMatchObject([{ level: 30, reason, address: '127.0.0.1', suppressed: 0 }])
    expect(JSON.stringify(lines)).not.toContain(device.secret)
  })

  test('omits devices that disconnect intentionally', async () => {
    const disconnecting = await registerDevice(app.owner)
    await (await connectMqtt(mqttOf(app), disconnecting)).endAsync()
    await app.owner.data(rotate, { id: device.id })
    await ended
    expect(lines.filter((line) => line.device === disconnecting.id)).toEqual([])
  })
})

test('logs each device at most once every ten seconds per reason', () => {
  const lines: unknown[] = []
  let now = 0
  const logDisconnection = createDisconnectionLog({ info: (line: unknown) => void lines.push(line) }, () => now)
  const of = (deviceId: string) => ({
    address: '::1',
    device: { deviceId, address: '::1', viewer: { accountId: 'a', email: 'a@example.com', readOnly: false } },
  })
  for (let count = 0; count < 1_000; count++) logDisconnection(of('80:01'), 'a')
  logDisconnection(of('80:02'), 'a')
  logDisconnection(of('80:01'), 'b')
  now = 10_001
  logDisconnection(of('80:01'), 'a')
  expect(lines).toEqual([
    { device: '80:01', address: '::1', reason: 'a', suppressed: 0 },
    { device: '80:02', address: '::1', reason: 'a', suppressed: 0 },
    { device: '80:01', address: '::1', reason: 'b', suppressed: 0 },
    { device: '80:01', address: '::1', reason: 'a', suppressed: 999 },
  ])
})
