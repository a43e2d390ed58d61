import { connectAsync } from 'mqtt'
import { expect } from 'vitest'
import { nextEvent } from '../clients/mqtt-device.ts'
import type { Canaries } from './canaries.ts'

/** What the log says where a device puts its secret in the wrong place. */
export const toldOverMqtt = [
  '"clientId":"no device id"',
  'attributes.… must be a string or null',
  '"topic":"devices/…/attributes"',
]

/** Signs a device on by its secret, rightly and wrongly, and sends the secret where it does not belong. */
export async function overMqtt(
  serverUrl: string,
  { deviceId, secret }: { deviceId: string; secret: string },
  canaries: Canaries,
): Promise<void> {
  const url = `${serverUrl.replace('http', 'ws')}/mqtt`
  const who = { clientId: deviceId, username: deviceId, reconnectPeriod: 0, connectTimeout: 60_000 }
  await (await connectAsync(url, { ...who, password: secret })).endAsync()
  await expect(connectAsync(url, { ...who, password: `${secret}x` })).rejects.toThrow()
  // The broker has client ids in lower case.
  canaries.add('device secret', secret.toLowerCase())
  const swapped = { clientId: secret, username: secret, password: deviceId }
  await expect(connectAsync(url, { ...who, ...swapped })).rejects.toThrow()
  const publications = [
    [`devices/${deviceId}/attributes`, JSON.stringify({ [secret]: 1 })],
    [`devices/${secret}/attributes`, '{"site":"oslo"}'],
  ] as const
  for (const [topic, payload] of publications) {
    const client = await connectAsync(url, { ...who, password: secret })
    client.on('error', () => {})
    const closed = nextEvent(client, 'close')
    client.publish(topic, payload, { qos: 1 })
    await closed
    client.end(true)
  }
}
