import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'

const PROBE_EVERY_MS = 300
const RECONNECT_AFTER_MS = 500
/** How long nothing may have been heard of the connection before it counts as lost. */
const SILENCE_MS = 900

export interface Notifications {
  /** Whether everything that was committed until a moment ago has been heard of. */
  isHearing(): boolean
  close(): Promise<void>
}

export interface NotificationsOptions {
  connection: pg.ClientConfig
  channels: readonly string[]
  log: FastifyBaseLogger
  /** What is heard of, in the plural, for the log; and what is done while it is not. */
  subject: string
  meanwhile: string
  onNotification: (payload: string, channel: string) => void
  /** Notifications may have been missed. */
  onGap: () => void
}

/**
 * Listens on a connection of its own, and connects again when it is lost. A connection that hangs gives no error, so a
 * probe runs on it all the time: what was committed before a probe was sent has been heard once the probe is answered.
 */
export function listenForNotifications(options: NotificationsOptions): Notifications {
  const { connection, channels, log, subject, meanwhile, onNotification, onGap } = options
  const closing = new AbortController()
  let heardUntil = Number.NEGATIVE_INFINITY

  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal: closing.signal, ref: false }).catch(() => {})

  const listen = async (client: pg.Client, onStart: () => void): Promise<void> => {
    client.on('notification', ({ payload, channel }) => onNotification(payload ?? '', channel))
    await client.connect()
    for (const channel of channels) await client.query(`listen ${channel}`)
    onStart()
    while (!closing.signal.aborted) {
      const asked = performance.now()
      await client.query('select 1')
      heardUntil = asked
      await pause(PROBE_EVERY_MS)
    }
  }

  const keepListening = async (): Promise<void> => {
    let isLost = false
    const onStart = (): void => {
      onGap()
      if (isLost) log.info(`hearing of ${subject} again`)
      isLost = false
    }
    while (!closing.signal.aborted) {
      const client = clientFor(connection, subject)
      try {
        await listen(client, onStart)
      } catch (error) {
        if (!isLost && !closing.signal.aborted) log.warn({ err: error }, `not hearing of ${subject}; ${meanwhile}`)
        isLost = true
      }
      // Of a connection that broke at the wrong moment this never settles.
      client.end().catch(() => {})
      await pause(RECONNECT_AFTER_MS)
    }
  }
  const ended = keepListening()

  return {
    isHearing: () => performance.now() - heardUntil < SILENCE_MS,
    async close() {
      // Not by ending a client that may be connecting: it would never say so. Every step of the loop is bounded.
      closing.abort()
      await ended
    },
  }
}

function clientFor(connection: pg.ClientConfig, subject: string): pg.Client {
  const client = new pg.Client({
    ...connection,
    application_name: `muster ${subject}`,
    connectionTimeoutMillis: 5_000,
    query_timeout: SILENCE_MS,
    keepAlive: true,
  })
  // The next query tells; without a listener the process would end.
  client.on('error', () => {})
  return client
}
