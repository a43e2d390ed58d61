import { setTimeout as sleep } from 'node:timers/promises'
import mqtt, { type MqttClient } from 'mqtt'
import { type Counts, countFailure } from './counts.ts'
import type { Pace } from './pace.ts'

/** What a device signs on with. */
export interface Credentials {
  id: string
  secret: string
}

export interface Behaviour {
  /** URL of the broker. */
  broker: string
  /** Seconds between two reports of a device. */
  every: number
  /** Seconds that a connection lasts on average; 0: until the end. */
  dropEvery: number
  /** Waits for this device's turn to connect. */
  turn: Pace
}

export interface SimulatedDevice {
  /** Stays signed on, with interruptions, until it is stopped. */
  run(): Promise<void>
  stop(): void
}

const KEEPALIVE_S = 60
const CONNECT_WITHIN_MS = 15_000
const ACKNOWLEDGED_WITHIN_MS = 5_000
/** Longer than the usual hold time now and then, so that some returns are changes of state and some are not. */
const LONGEST_ABSENCE_MS = 10_000
const RETRY_AFTER_MS = { least: 1_000, most: 3_000 }

/** A device that signs on over MQTT, reports attributes, drops and returns. */
export function createDevice(device: Credentials, behaviour: Behaviour, counts: Counts): SimulatedDevice {
  const stopping = new AbortController()
  const { signal } = stopping
  let hasBeenThere = false

  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})

  const connect = async (): Promise<MqttClient | undefined> => {
    await behaviour.turn(signal)
    if (signal.aborted) return undefined
    const client = openClient(device, behaviour.broker)
    try {
      await signedOn(client)
    } catch (error) {
      client.end(true)
      if (!signal.aborted) countFailure(counts, whatFailed(error))
      return undefined
    }
    counts[hasBeenThere ? 'reconnects' : 'connects']++
    hasBeenThere = true
    return client
  }

  return {
    async run() {
      while (!signal.aborted) {
        const client = await connect()
        const left = client === undefined ? false : await stay(client, { device, behaviour, counts, signal })
        await pause(left ? Math.random() * LONGEST_ABSENCE_MS : between(RETRY_AFTER_MS))
      }
    },
    stop: () => stopping.abort(),
  }
}

const between = ({ least, most }: { least: number; most: number }): number => least + Math.random() * (most - least)

const openClient = ({ id, secret }: Credentials, broker: string): MqttClient =>
  mqtt.connect(broker, {
    clientId: id,
    username: id,
    password: secret,
    protocolVersion: 4,
    keepalive: KEEPALIVE_S,
    connectTimeout: CONNECT_WITHIN_MS,
    // Returning is part of what is simulated.
    reconnectPeriod: 0,
    timerVariant: 'native',
  })

function signedOn(client: MqttClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('close', () => reject(new Error('the connection was closed before it was signed on')))
    // Stays for the client's life: whatever else goes wrong shows as a close.
    client.on('error', reject)
  })
}

/** What is the same for many devices, without addresses and ports of their own. */
function whatFailed(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : message
}

interface Stay {
  device: Credentials
  behaviour: Behaviour
  counts: Counts
  signal: AbortSignal
}

/** Reports until the connection is over; true when the device ended it itself. */
async function stay(client: MqttClient, { device, behaviour, counts, signal }: Stay): Promise<boolean> {
  let hasLeft = false
  let isOver = false
  let underWay = 0
  const leave = (politely: boolean): void => {
    if (hasLeft) return
    hasLeft = true
    counts.drops++
    if (politely) endPolitely(client)
    else client.stream.destroy()
  }
  const settle = (isAcknowledged: boolean): void => {
    underWay--
    if (isAcknowledged) counts.acks++
    else if (hasLeft) counts.cutShort++
    else countFailure(counts, 'not acknowledged')
  }
  const report = (): void => {
    counts.publishes++
    underWay++
    client.publish(`devices/${device.id}/attributes`, JSON.stringify(reading()), { qos: 1 }, (error) => {
      if (!isOver) settle(!error)
    })
  }
  const timers = startTimers(behaviour, { report, leave: () => leave(Math.random() < 0.5) })
  const stop = (): void => {
    hasLeft = true
    timers.stop()
    endPolitely(client)
  }
  // It may have been stopped while it signed on.
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  counts.connected++
  await new Promise<void>((resolve) => {
    if (client.stream.destroyed) resolve()
    else client.once('close', () => resolve())
  })
  counts.connected--
  timers.stop()
  signal.removeEventListener('abort', stop)
  if (!hasLeft) countFailure(counts, 'the connection was lost')
  client.end(true)
  // A client that was told to end before says no more of what it still waited for.
  while (underWay > 0) settle(false)
  isOver = true
  return hasLeft
}

/** What is under way is acknowledged first, but not waited for for ever. */
function endPolitely(client: MqttClient): void {
  const timer = setTimeout(() => client.stream.destroy(), ACKNOWLEDGED_WITHIN_MS)
  client.once('close', () => clearTimeout(timer))
  client.end()
}

interface Actions {
  report: () => void
  leave: () => void
}

/** The first report comes at a random moment: devices that came together do not report together. */
function startTimers({ every, dropEvery }: Behaviour, { report, leave }: Actions): { stop(): void } {
  let reporting = setTimeout(
    () => {
      report()
      reporting = setInterval(report, every * 1_000)
    },
    Math.random() * Math.min(every, 5) * 1_000,
  )
  const leaving = dropEvery > 0 ? setTimeout(leave, Math.random() * 2 * dropEvery * 1_000) : undefined
  return {
    stop() {
      clearTimeout(reporting)
      clearTimeout(leaving)
    },
  }
}

/** What such a device would measure. */
const reading = (): Record<string, unknown> => ({
  simulated: { load: String(Math.floor(Math.random() * 100)), temperature: (15 + Math.random() * 20).toFixed(1) },
})
