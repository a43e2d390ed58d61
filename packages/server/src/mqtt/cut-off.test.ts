import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { findDevice } from '../../test/api/device-details.ts'
import { rotate } from '../../test/api/device-registration.ts'
import { connectMqtt, nextEvent, registerDevice } from '../../test/clients/mqtt-device.ts'
import { sharedTestApp, type TestApp } from '../../test/harness/app.ts'
import { cutOffDevices } from '../features/devices/changes/send-recheck-notifications.queries.ts'

const app = sharedTestApp({ mqtt: true })
let other: TestApp
beforeAll(async () => {
  other = await app.startAnother({ mqtt: true })
})
afterAll(() => other.close())

const mqttOf = ({ mqttPort }: TestApp): string => `mqtt://127.0.0.1:${mqttPort}`

const remove = 'mutation ($id: String!) { deleteDevice(deviceId: $id, force: true) }'

test.each([
  ['after its secret is rotated', rotate],
  ['after it is deleted', remove],
])('disconnects a device %s on another server', async (_what, document) => {
  const device = await registerDevice(app.owner)
  const client = await connectMqtt(mqttOf(other), device)
  const cut = nextEvent(client, 'close')
  await app.owner.data(document, { id: device.id })
  await cut
  await expect(connectMqtt(mqttOf(other), device)).rejects.toMatchObject({ code: 4 })
})

test('keeps a connection with the new secret even if the notification of the rotation arrives late', async () => {
  const [device, bystander] = [await registerDevice(app.owner), await registerDevice(app.owner)]
  const { rotateDeviceSecret } = await app.owner.data(rotate, { id: device.id })
  const client = await connectMqtt(mqttOf(app), { ...device, secret: rotateDeviceSecret.secret })
  await cutOffDevices(app.db, [device.id])
  // Notifications arrive in order, so when the server disconnects the bystander, it has handled the first notification.
  const cut = nextEvent(await connectMqtt(mqttOf(app), bystander), 'close')
  await app.owner.data(rotate, { id: bystander.id })
  await cut
  expect(client.connected).toBe(true)
  await client.publishAsync(`devices/${device.id}/attributes`, '{"site": "oslo"}', { qos: 1 })
})

test('does not publish the will of a device whose secret was revoked', async () => {
  const connectWithWill = async () => {
    const device = await registerDevice(app.owner)
    const topic = `devices/${device.id}/attributes`
    const will = { topic, payload: Buffer.from('{"site": "lost"}'), qos: 1 as const }
    return { ...device, client: await connectMqtt(mqttOf(app), device, { will }) }
  }
  const attributesOf = async ({ id }: { id: string }) => (await findDevice(app.owner, id)).attributes
  const [cutOff, lost] = [await connectWithWill(), await connectWithWill()]
  const cut = nextEvent(cutOff.client, 'close')
  await app.owner.data(rotate, { id: cutOff.id })
  await cut
  // By the time the server applies the later will of another device, it would also have applied the first will.
  lost.client.stream.destroy()
  await vi.waitFor(async () => expect(await attributesOf(lost)).toEqual({ site: 'lost' }), { timeout: 60_000 })
  expect(await attributesOf(cutOff)).toEqual({})
})
