import mqtt, { type MqttClient } from 'mqtt'
import { describeError } from './describe-error.ts'

export interface Connection {
  broker: string
  deviceId: string
  secret: string
  ca: string[] | undefined
}

/** `isRejected` is true if the server rejected the device's credentials. */
export class ConnectError extends Error {
  readonly isRejected: boolean

  constructor(message: string, isRejected: boolean) {
    super(message)
    this.name = 'ConnectError'
    this.isRejected = isRejected
  }
}

const KEEPALIVE_S = 60
const CONNECT_TIMEOUT_MS = 15_000
/** With these CONNACK return codes (MQTT 3.1.1 §3.2.2.3), the server rejects the credentials of the device. */
const REJECTION_CODES: ReadonlySet<unknown> = new Set([2, 4, 5])

export async function connect({ broker, deviceId, secret, ca }: Connection, signal: AbortSignal): Promise<MqttClient> {
  const client = mqtt.connect(broker, {
    clientId: deviceId,
    username: deviceId,
    password: secret,
    protocolVersion: 4,
    keepalive: KEEPALIVE_S,
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectPeriod: 0,
    timerVariant: 'native',
    // Turn off the cache of encoded numbers, which speeds up writes but uses 8 MB (65,536 small buffers).
    writeCache: false,
    wsOptions: { perMessageDeflate: false, ...trusting(ca) },
    ...trusting(ca),
  })
  const close = (): void => void client.end(true)
  signal.addEventListener('abort', close, { once: true })
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve())
      // Keep this listener, because an error without a listener would end the agent. Later errors close the connection.
      client.on('error', reject)
      client.once('close', () => reject(new Error('the connection was closed before the device was authenticated')))
      client.once('end', () => reject(new Error('the agent is stopping')))
    })
  } catch (error) {
    client.end(true)
    throw new ConnectError(describeError(error), REJECTION_CODES.has((error as { code?: unknown }).code))
  } finally {
    signal.removeEventListener('abort', close)
  }
  return client
}

const trusting = (ca: string[] | undefined): { ca?: string[] } => (ca === undefined ? {} : { ca })
