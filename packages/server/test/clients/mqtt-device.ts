import { connect, type IClientOptions, type MqttClient } from 'mqtt'
import { onTestFinished } from 'vitest'
import type { TestUser } from '../harness/app.ts'

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

/** Connects a device. Throws if the server rejects the connection or closes it before accepting the device. */
export async function connectMqtt(url: string, { id, secret }: RegisteredDevice, more: IClientOptions = {}) {
  const client = open(url, { clientId: id, username: id, password: secret, ...more })
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('error', reject)
    client.once('close', () => reject(new Error('The server closed the connection before it accepted the device.')))
  })
  return client
}

function open(url: string, options: IClientOptions): MqttClient {
  const client = connect(url, { reconnectPeriod: 0, connectTimeout: 60_000, ...options })
  client.on('error', () => {})
  onTestFinished(() => void client.end(true))
  return client
}

export function nextEvent(client: MqttClient, event: 'close' | 'message'): Promise<unknown[]> {
  return new Promise((resolve) => {
    client.once(event, (...args: unknown[]) => resolve(args))
  })
}
