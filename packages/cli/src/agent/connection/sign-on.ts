import mqtt, { type MqttClient } from 'mqtt'
import { inWords } from './in-words.ts'

export interface SignOn {
  broker: string
  deviceId: string
  secret: string
  ca: string[] | undefined
}

/** Why a device could not sign on. `isRefused`: the server was there and does not take its secret. */
export class SignOnError extends Error {
  readonly isRefused: boolean

  constructor(message: string, isRefused: boolean) {
    super(message)
    this.name = 'SignOnError'
    this.isRefused = isRefused
  }
}

const KEEPALIVE_S = 60
const CONNECT_WITHIN_MS = 15_000
/** CONNACK return codes (MQTT 3.1.1 §3.2.2.3) that another try does not change. */
const REFUSALS: ReadonlySet<unknown> = new Set([2, 4, 5])

/** A connection on which the device has signed on. It does not return by itself. */
export async function signOn({ broker, deviceId, secret, ca }: SignOn, signal: AbortSignal): Promise<MqttClient> {
  const client = mqtt.connect(broker, {
    clientId: deviceId,
    username: deviceId,
    password: secret,
    protocolVersion: 4,
    keepalive: KEEPALIVE_S,
    connectTimeout: CONNECT_WITHIN_MS,
    reconnectPeriod: 0,
    timerVariant: 'native',
    // 65,536 small buffers, 8 MB, to make packets faster that are few.
    writeCache: false,
    wsOptions: { perMessageDeflate: false, ...trusting(ca) },
    ...trusting(ca),
  })
  const giveUp = (): void => void client.end(true)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve())
      // Stays for the client's life: whatever else goes wrong shows as a close.
      client.on('error', reject)
      client.once('close', () => reject(new Error('the connection was closed before it was signed on')))
      client.once('end', () => reject(new Error('stopped')))
    })
  } catch (error) {
    client.end(true)
    throw asSignOnError(error)
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
  return client
}

const trusting = (ca: string[] | undefined): { ca?: string[] } => (ca === undefined ? {} : { ca })

function asSignOnError(error: unknown): SignOnError {
  return new SignOnError(inWords(error), REFUSALS.has((error as { code?: unknown }).code))
}
