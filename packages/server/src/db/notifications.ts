import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { pause } from '../lib/pause.ts'

/** The interval, in milliseconds, between probes, which detect a connection that hangs without an error. */
const PROBE_INTERVAL_MS = 300
const RECONNECT_AFTER_MS = 500
/**
 * The number of milliseconds after which a statement without a response means that the connection is lost. If no
 * statement that began within this time was successful, notifications may be missing.
 */
const LOST_AFTER_MS = 900
/** The minimum interval, in milliseconds, between two statements on the notification connection. */
const SPACING_MS = 10

export interface Notification {
  payload: string
  isOwn: boolean
}

export interface SubscriptionOptions {
  channel: string
  onNotification(notification: Notification): void
  /** Called each time a connection starts to listen on the channel, because earlier notifications may have been missed. */
  onGap(): void
}

export interface Subscription {
  /** Whether every notification committed more than a second ago has arrived. */
  isCurrent(): boolean
  close(): void
}

export interface Notifications {
  subscribe(options: SubscriptionOptions): Subscription
  /**
   * Notifies all processes, usually within 10 ms. Frequent requests must not run NOTIFY themselves, because PostgreSQL
   * serializes the commits of all transactions that run NOTIFY.
   */
  notify(channel: string): void
  close(): Promise<void>
}

export interface NotificationsOptions {
  /** A direct connection to the database, because LISTEN does not work through a pooler in transaction mode. */
  connection: pg.ClientConfig
  log: FastifyBaseLogger
}

/** Connects in the background, and reconnects whenever the connection is lost. */
export function openNotifications({ connection, log }: NotificationsOptions): Notifications {
  const closing = new AbortController()
  const subscriptions = new Set<SubscriptionOptions>()
  const listening = new Set<string>()
  const missing = new Set<string>()
  let probed = Number.NEGATIVE_INFINITY
  /** The channels to notify. */
  const due = new Set<string>()
  /** The notified channels. Each new connection notifies them again, because notifications can be lost. */
  const sent = new Set<string>()
  let wake = (): void => {}

  const sleepUntilWoken = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, PROBE_INTERVAL_MS).unref()
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const receive = ({ channel, payload = '', processId }: pg.Notification, client: pg.Client): void => {
    const isOwn = processId === (client as { processID?: number }).processID
    for (const subscription of subscriptions) {
      if (subscription.channel === channel) subscription.onNotification({ payload, isOwn })
    }
  }

  const listen = async (client: pg.Client, channel: string): Promise<void> => {
    await client.query(`listen ${channel}`)
    missing.delete(channel)
    listening.add(channel)
    for (const subscription of subscriptions) if (subscription.channel === channel) subscription.onGap()
  }

  const notify = async (client: pg.Client, channel: string): Promise<void> => {
    due.delete(channel)
    sent.add(channel)
    await client.query(`notify ${channel}`)
  }

  /**
   * Uses the client until `close` is called, and rejects if the connection fails. Statements run one after another,
   * because a client can run only one at a time.
   */
  const serve = async (client: pg.Client, onConnected: () => void): Promise<void> => {
    client.on('notification', (notification) => receive(notification, client))
    // When the connection ends, the loop must continue, because its next statement reports the failure.
    client.once('end', () => wake())
    await client.connect()
    // After a crash, a notification is useless. Therefore, its commit does not have to wait for the disk.
    await client.query('set synchronous_commit = off')
    onConnected()
    while (!closing.signal.aborted) {
      const started = performance.now()
      if (missing.size > 0) await listen(client, first(missing))
      else if (due.size > 0) await notify(client, first(due))
      else await client.query('select 1')
      probed = started
      await pause(SPACING_MS, closing.signal)
      if (missing.size + due.size === 0) await sleepUntilWoken()
    }
  }

  const keepConnected = async (): Promise<void> => {
    let isLost = false
    const onConnected = (): void => {
      if (isLost) log.info('receiving notifications from the database again')
      isLost = false
    }
    while (!closing.signal.aborted) {
      const client = createClient(connection)
      try {
        await serve(client, onConnected)
      } catch (error) {
        if (!isLost && !closing.signal.aborted)
          log.warn({ err: error }, 'cannot receive notifications from the database; polling for changes every second')
        isLost = true
      }
      for (const channel of listening) missing.add(channel)
      listening.clear()
      for (const channel of sent) due.add(channel)
      // If the connection is broken, `end` may never settle. Therefore, nothing waits for it.
      client.end().catch(() => {})
      await pause(RECONNECT_AFTER_MS, closing.signal)
    }
  }
  const ended = keepConnected()

  return {
    subscribe(options) {
      subscriptions.add(options)
      if (!listening.has(options.channel)) missing.add(options.channel)
      wake()
      return {
        isCurrent: () => listening.has(options.channel) && performance.now() - probed < LOST_AFTER_MS,
        close: () => void subscriptions.delete(options),
      }
    },
    notify(channel) {
      due.add(channel)
      wake()
    },
    async close() {
      // Wait for the loop, because all of its steps have time limits. A call of `client.end` would not settle while the
      // client is connecting.
      closing.abort()
      wake()
      await ended
    },
  }
}

const first = (channels: ReadonlySet<string>): string => channels.values().next().value!

function createClient(connection: pg.ClientConfig): pg.Client {
  const client = new pg.Client({
    ...connection,
    application_name: 'muster notifications',
    connectionTimeoutMillis: 5_000,
    query_timeout: LOST_AFTER_MS,
    keepAlive: true,
  })
  // The next statement reports the error. Without a listener, the process would exit.
  client.on('error', () => {})
  return client
}
