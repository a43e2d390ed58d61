import { connectAsync } from 'mqtt'
import { expect } from 'vitest'
import { nextEvent } from '../clients/mqtt-device.ts'
import type { Canaries } from './canaries.ts'

export const mqttLogEntries = [
  '"clientId":"no device ID"',
  'attributes.… must be a string or null',
  '"topic":"devices/…/attributes"',
]

/** Connects a device with its secret and with a wrong secret, and sends the secret in wrong places. */
export async function overMqtt(
  serverUrl: string,
  { deviceId, secret }: { deviceId: string; secret: string },
  canaries: Canaries,
): Promise<void> {
  const url = `${serverUrl.replace('http', 'ws')}/mqtt`
  const options = { clientId: deviceId, username: deviceId, reconnectPeriod: 0, connectTimeout: 60_000 }
  await (await connectAsync(url, { ...options, password: secret })).endAsync()
  await expect(connectAsync(url, { ...options, password: `${secret}x` })).rejects.toThrow()
  // The broker converts client IDs to lowercase.
  canaries.add('device secret', secret.toLowerCase())
  const swapped = { clientId: secret, username: secret, password: deviceId }
  await expect(connectAsync(url, { ...options, ...swapped })).rejects.toThrow()
  const publications = [
    [`devices/${deviceId}/attributes`, JSON.stringify({ [secret]: 1 })],
    [`devices/${secret}/attributes`, '{"site":"oslo"}'],
  ] as const
  for (const [topic, payload] of publications) {
    const client = await connectAsync(url, { ...options, password: secret })
    client.on('error', () => {})
    const closed = nextEvent(client, 'close')
    client.publish(topic, payload, { qos: 1 })
    await closed
    client.end(true)
  }
}
