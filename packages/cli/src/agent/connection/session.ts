import { setTimeout as sleep } from 'node:timers/promises'
import type { MqttClient } from 'mqtt'
import type { ServiceHistory, TrackedService } from '../services/service-history.ts'
import type { Values } from '../sources/unreported-values.ts'
import type { ChangeSignal } from './change-signal.ts'
import { describeError } from './describe-error.ts'

/**
 * What a publication contains. The server closes the connection if it rejects a publication, because MQTT 3.1.1 defines
 * no error response. The subject in flight at that time is probably the cause.
 */
export type Subject = 'services' | 'states' | 'values'

export interface SessionOptions {
  deviceId: string
  history: ServiceHistory
  values: Values
  changeSignal: ChangeSignal
  isMuted: (subject: Subject) => boolean
  onAccepted: (subject: Subject) => void
  signal: AbortSignal
}

const ACKNOWLEDGMENT_TIMEOUT_MS = 5_000
const RESPONSE_TIMEOUT_MS = 30_000

export interface SessionEnd {
  /** The subject of an interrupted publication. Undefined if there was none or the signal aborted. */
  interrupted: Subject | undefined
  /** Why the session ended, if an error ended it. */
  reason: string | undefined
}

/** Publishes until the connection ends, reporting fails, or the signal aborts. */
export async function runSession(client: MqttClient, options: SessionOptions): Promise<SessionEnd> {
  let reason: string | undefined
  const noteError = (error: unknown): void => {
    reason ??= describeError(error)
  }
  client.on('error', noteError)
  const closed = new Promise<void>((resolve) => {
    if (client.stream.destroyed) resolve()
    else client.once('close', () => resolve())
  })
  const disconnect = (): void => disconnectCleanly(client)
  if (options.signal.aborted) disconnect()
  else options.signal.addEventListener('abort', disconnect, { once: true })
  const inFlight: { subject?: Subject | undefined } = {}
  const reporting = reportAll(client, options, inFlight).catch((error: unknown) => {
    // After a lost connection, reporting fails with an error that does not explain the loss.
    if (client.connected) noteError(error)
  })
  const isOver = await Promise.race([closed.then(() => true), reporting])
  options.signal.removeEventListener('abort', disconnect)
  // Reporting can end first, for example if the server does not respond to the service list.
  if (isOver !== true) client.stream.destroy()
  client.end(true)
  return { interrupted: options.signal.aborted ? undefined : inFlight.subject, reason }
}

/** Disconnects when all messages in flight are acknowledged, or after 5 seconds at the latest. */
export function disconnectCleanly(client: MqttClient): void {
  const timer = setTimeout(() => client.stream.destroy(), ACKNOWLEDGMENT_TIMEOUT_MS)
  client.once('close', () => clearTimeout(timer))
  client.end()
}

async function reportAll(
  client: MqttClient,
  options: SessionOptions,
  inFlight: { subject?: Subject | undefined },
): Promise<void> {
  const { deviceId, history, values, changeSignal, isMuted, onAccepted, signal } = options
  const topic = `devices/${deviceId}`
  const publish = async (subject: Subject, path: string, payload: string): Promise<void> => {
    inFlight.subject = subject
    await client.publishAsync(`${topic}/${path}`, payload, { qos: 1 })
    inFlight.subject = undefined
    onAccepted(subject)
  }
  const services = createServiceReports(client, topic, publish)
  while (!signal.aborted && client.connected) {
    const change = changeSignal.next()
    if (!isMuted('services')) await services.report(history.all(), () => isMuted('states'))
    const pending = values.pending()
    if (pending.size > 0 && !isMuted('values')) {
      await publish('values', 'attributes', JSON.stringify(Object.fromEntries(pending)))
      for (const [attribute, value] of pending) values.markDone(attribute, value)
    }
    await change
  }
}

type Publish = (subject: Subject, path: string, payload: string) => Promise<void>

function createServiceReports(client: MqttClient, topic: string, publish: Publish) {
  let ids: ReadonlyMap<string, string> = new Map()
  let reported = ''
  let isSubscribed = false
  const states = new Map<string, string>()

  const reportList = async (list: string): Promise<void> => {
    const responseTopic = `${topic}/services/ids`
    if (!isSubscribed) await client.subscribeAsync(responseTopic, { qos: 1 })
    isSubscribed = true
    const response = nextMessage(client, responseTopic)
    await publish('services', 'services', list)
    ids = readIds(await Promise.race([response, responseTimeout()]))
    reported = list
  }

  return {
    async report(services: readonly TrackedService[], areStatesMuted: () => boolean): Promise<void> {
      const list = JSON.stringify(services.map(({ name, application, port }) => ({ name, application, port })))
      if (list !== reported) await reportList(list)
      for (const { name, goneSince } of services) {
        const state = goneSince === null ? 'active' : 'inactive'
        const id = ids.get(name)
        if (id === undefined || states.get(id) === state || areStatesMuted()) continue
        await publish('states', `services/${id}/state`, state)
        states.set(id, state)
      }
    },
  }
}

function nextMessage(client: MqttClient, topic: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const onMessage = (received: string, payload: Buffer): void => {
      if (received !== topic) return
      client.off('message', onMessage)
      resolve(payload)
    }
    client.on('message', onMessage)
  })
}

const responseTimeout = (): Promise<never> =>
  sleep(RESPONSE_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`the server did not respond to the service list within ${RESPONSE_TIMEOUT_MS / 1_000} s`)
  })

function readIds(payload: Buffer): Map<string, string> {
  const list: unknown = JSON.parse(payload.toString('utf8'))
  const items = Array.isArray(list) ? list : []
  return new Map(items.map(({ id, name }: { id: unknown; name: unknown }) => [String(name), String(id)]))
}
