import { connect, type IClientOptions, type MqttClient } from 'mqtt'
import { onTestFinished } from 'vitest'
import type { TestUser } from '../harness/app.ts'

/** A device as registered, with what it signs on with. */
export interface RegisteredDevice {
  id: string
  secret: string
}

export async function registerDevice(user: TestUser, name = 'gateway'): Promise<RegisteredDevice> {
  const { registerDevice: registered } = await user.data(
    'mutation ($name: String!) { registerDevice(name: $name) { device { id } secret } }',
    { name },
  )
  return { id: registered.device.id, secret: registered.secret }
}

/** Signs a device on by a stock client, which goes with the test; rejects with what the server refuses it with. */
export async function signOn(url: string, { id, secret }: RegisteredDevice, more: IClientOptions = {}) {
  const client = open(url, { clientId: id, username: id, password: secret, ...more })
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('error', reject)
    client.once('close', () => reject(new Error('the connection was closed')))
  })
  return client
}

/** A client that neither reconnects nor outlives the test. */
function open(url: string, options: IClientOptions): MqttClient {
  const client = connect(url, { reconnectPeriod: 0, connectTimeout: 60_000, ...options })
  client.on('error', () => {})
  onTestFinished(() => void client.end(true))
  return client
}

/** The next of these events, with what it brings. */
export function happening(client: MqttClient, event: 'close' | 'message'): Promise<unknown[]> {
  return new Promise((resolve) => {
    client.once(event, (...told: unknown[]) => resolve(told))
  })
}
