import { setTimeout as sleep } from 'node:timers/promises'
import type { MqttClient } from 'mqtt'
import type { BookedService, ServiceBook } from '../services/service-book.ts'
import type { Values } from '../sources/values.ts'
import type { Alarm } from './alarm.ts'

/** What a publication is about; a server that does not take it closes the connection (MQTT 3.1.1 has no other answer). */
export type Subject = 'services' | 'states' | 'values'

export interface SessionOptions {
  deviceId: string
  book: ServiceBook
  values: Values
  /** Rings when there is something new to report. */
  alarm: Alarm
  /** What this connection is not to speak of. */
  isSilentOn: (subject: Subject) => boolean
  onTaken: (subject: Subject) => void
  /** Lets go of the connection in good manners. */
  signal: AbortSignal
}

const ACKNOWLEDGED_WITHIN_MS = 5_000
const ANSWERED_WITHIN_MS = 30_000

/** Reports until the connection is over. Answers what was under way when it was cut short. */
export async function runSession(client: MqttClient, options: SessionOptions): Promise<Subject | undefined> {
  const closed = new Promise<void>((resolve) => {
    if (client.stream.destroyed) resolve()
    else client.once('close', () => resolve())
  })
  const leave = (): void => endPolitely(client)
  if (options.signal.aborted) leave()
  else options.signal.addEventListener('abort', leave, { once: true })
  const underWay: { subject?: Subject | undefined } = {}
  const isOver = await Promise.race([closed.then(() => true), reportAll(client, options, underWay)])
  options.signal.removeEventListener('abort', leave)
  // A publication that failed is one whose connection is gone.
  if (isOver !== true) client.stream.destroy()
  client.end(true)
  return options.signal.aborted ? undefined : underWay.subject
}

/** What is under way is acknowledged first, but not waited for for ever. */
function endPolitely(client: MqttClient): void {
  const timer = setTimeout(() => client.stream.destroy(), ACKNOWLEDGED_WITHIN_MS)
  client.once('close', () => clearTimeout(timer))
  client.end()
}

async function reportAll(
  client: MqttClient,
  options: SessionOptions,
  underWay: { subject?: Subject | undefined },
): Promise<false> {
  const { deviceId, book, values, alarm, isSilentOn, onTaken, signal } = options
  const topic = `devices/${deviceId}`
  const publish = async (subject: Subject, path: string, payload: string): Promise<void> => {
    underWay.subject = subject
    await client.publishAsync(`${topic}/${path}`, payload, { qos: 1 })
    underWay.subject = undefined
    onTaken(subject)
  }
  const services = createServiceReports(client, topic, publish)
  try {
    while (!signal.aborted && client.connected) {
      const ring = alarm.next()
      if (!isSilentOn('services')) await services.report(book.all(), () => isSilentOn('states'))
      const pending = values.pending()
      if (pending.size > 0 && !isSilentOn('values')) {
        await publish('values', 'attributes', JSON.stringify(Object.fromEntries(pending)))
        for (const [attribute, value] of pending) values.settled(attribute, value)
      }
      await ring
    }
  } catch {
    // The connection is over, and why shows elsewhere.
  }
  return false
}

type Publish = (subject: Subject, path: string, payload: string) => Promise<void>

/** The services and states that the server has heard of on this connection. */
function createServiceReports(client: MqttClient, topic: string, publish: Publish) {
  let ids: ReadonlyMap<string, string> = new Map()
  let heard = ''
  let isSubscribed = false
  const states = new Map<string, string>()

  const reportList = async (list: string): Promise<void> => {
    const answerTopic = `${topic}/services/ids`
    if (!isSubscribed) await client.subscribeAsync(answerTopic, { qos: 1 })
    isSubscribed = true
    const answer = nextMessage(client, answerTopic)
    await publish('services', 'services', list)
    ids = readIds(await Promise.race([answer, noAnswer()]))
    heard = list
  }

  return {
    async report(services: readonly BookedService[], areStatesSilent: () => boolean): Promise<void> {
      const list = JSON.stringify(services.map(({ name, application, port }) => ({ name, application, port })))
      if (list !== heard) await reportList(list)
      for (const { name, goneSince } of services) {
        const state = goneSince === null ? 'active' : 'inactive'
        const id = ids.get(name)
        if (id === undefined || states.get(id) === state || areStatesSilent()) continue
        await publish('states', `services/${id}/state`, state)
        states.set(id, state)
      }
    },
  }
}

function nextMessage(client: MqttClient, topic: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const hear = (heard: string, payload: Buffer): void => {
      if (heard !== topic) return
      client.off('message', hear)
      resolve(payload)
    }
    client.on('message', hear)
  })
}

const noAnswer = (): Promise<never> =>
  sleep(ANSWERED_WITHIN_MS, undefined, { ref: false }).then(() => {
    throw new Error('the services were not answered')
  })

function readIds(payload: Buffer): Map<string, string> {
  const list: unknown = JSON.parse(payload.toString('utf8'))
  const items = Array.isArray(list) ? list : []
  return new Map(items.map(({ id, name }: { id: unknown; name: unknown }) => [String(name), String(id)]))
}
