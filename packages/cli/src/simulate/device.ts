import { setTimeout as sleep } from 'node:timers/promises'
import mqtt, { type MqttClient } from 'mqtt'
import { disconnectCleanly } from '../agent/connection/session.ts'
import type { Throttle } from './connection-throttle.ts'
import { type Counts, countFailure } from './counts.ts'

export interface Credentials {
  id: string
  secret: string
}

export interface Behavior {
  broker: string
  /** Seconds between a device's reports. */
  every: number
  /** Average duration of a connection, in seconds. 0 keeps each connection open until the simulation ends. */
  dropEvery: number
  /** Waits until the simulation's connection rate allows another connection. */
  waitToConnect: Throttle
}

export interface SimulatedDevice {
  run(): Promise<void>
  stop(): void
}

const KEEPALIVE_S = 60
const CONNECT_TIMEOUT_MS = 15_000
/**
 * The longest pause after a device has ended its connection. It exceeds the default grace period, so that some absences
 * change the device's state and others do not.
 */
const LONGEST_ABSENCE_MS = 10_000
const RETRY_AFTER_MS = { least: 1_000, most: 3_000 }

export function createDevice(device: Credentials, behavior: Behavior, counts: Counts): SimulatedDevice {
  const stopping = new AbortController()
  const { signal } = stopping
  let hasConnected = false

  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})

  const connect = async (): Promise<MqttClient | undefined> => {
    await behavior.waitToConnect(signal)
    if (signal.aborted) return undefined
    const client = openClient(device, behavior.broker)
    try {
      await waitUntilConnected(client)
    } catch (error) {
      client.end(true)
      if (!signal.aborted) countFailure(counts, failureKey(error))
      return undefined
    }
    counts[hasConnected ? 'reconnects' : 'connects']++
    hasConnected = true
    return client
  }

  return {
    async run() {
      while (!signal.aborted) {
        const client = await connect()
        const left = client === undefined ? false : await stay(client, { device, behavior, counts, signal })
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
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Turn off automatic reconnects, because the simulation reconnects.
    reconnectPeriod: 0,
    timerVariant: 'native',
  })

function waitUntilConnected(client: MqttClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('close', () => reject(new Error('the connection was closed before the device was authenticated')))
    // Keep this listener, because an error without a listener would end the process. Later errors close the connection.
    client.on('error', reject)
  })
}

/** Describes an error without addresses and ports, so that the same failure on several devices is counted together. */
function failureKey(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : message
}

interface Stay {
  device: Credentials
  behavior: Behavior
  counts: Counts
  signal: AbortSignal
}

/** Reports until the connection ends. Returns true if the device ended the connection. */
async function stay(client: MqttClient, { device, behavior, counts, signal }: Stay): Promise<boolean> {
  let hasDisconnected = false
  let isDone = false
  let inFlight = 0
  const leave = (cleanly: boolean): void => {
    if (hasDisconnected) return
    hasDisconnected = true
    counts.drops++
    if (cleanly) disconnectCleanly(client)
    else client.stream.destroy()
  }
  const countOutcome = (isAcknowledged: boolean): void => {
    inFlight--
    if (isAcknowledged) counts.acks++
    else if (hasDisconnected) counts.cutShort++
    else countFailure(counts, 'not acknowledged')
  }
  const report = (): void => {
    counts.publishes++
    inFlight++
    client.publish(`devices/${device.id}/attributes`, JSON.stringify(reading()), { qos: 1 }, (error) => {
      if (!isDone) countOutcome(!error)
    })
  }
  const timers = startTimers(behavior, { report, leave: () => leave(Math.random() < 0.5) })
  const stop = (): void => {
    hasDisconnected = true
    timers.stop()
    disconnectCleanly(client)
  }
  // The device may have been stopped while it connected.
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
  if (!hasDisconnected) countFailure(counts, 'the connection was lost')
  client.end(true)
  // Count publications in flight as not acknowledged, because an ended client does not report their outcome.
  while (inFlight > 0) countOutcome(false)
  isDone = true
  return hasDisconnected
}

interface Actions {
  report: () => void
  leave: () => void
}

/**
 * Schedules the reports and the disconnect. Delays the first report randomly, so that devices that connect together do
 * not report together.
 */
function startTimers({ every, dropEvery }: Behavior, { report, leave }: Actions): { stop(): void } {
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

const reading = (): Record<string, unknown> => ({
  simulated: { load: String(Math.floor(Math.random() * 100)), temperature: (15 + Math.random() * 20).toFixed(1) },
})
