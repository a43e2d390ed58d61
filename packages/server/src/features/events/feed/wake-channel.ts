import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'

/** NOTIFY channel, without a payload: events were committed. */
export const eventChannel = 'muster_event'

/** Notifications of one process are at least this far apart. */
const SPACING_MS = 10
const RECONNECT_AFTER_MS = 500
/** A connection that hangs gives no error, so something is asked on it from time to time. */
const PROBE_EVERY_MS = 5_000
const ANSWER_WITHIN_MS = 5_000

export interface WakeChannel {
  /** Tells every other process, soon; at most every 10 ms. */
  notify(): void
  close(): Promise<void>
}

export interface WakeChannelOptions {
  connection: pg.ClientConfig
  log: FastifyBaseLogger
  /** Another process committed events. */
  onWake: () => void
}

/**
 * One connection of its own for both directions. NOTIFY serialises the commits of all that use it, so it stays out of the
 * transactions of requests. Notifications may be lost, with the connection or before it is there: followers poll besides.
 */
export function openWakeChannel({ connection, log, onWake }: WakeChannelOptions): WakeChannel {
  const closing = new AbortController()
  let isAsked = false
  let endRest = (): void => {}

  const notify = (): void => {
    isAsked = true
    endRest()
  }

  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal: closing.signal, ref: false }).catch(() => {})

  /** Until there is something to tell or to find out. */
  const rest = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, PROBE_EVERY_MS).unref()
      endRest = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  /** One statement at a time: a client takes no other while one runs. */
  const listen = async (client: pg.Client): Promise<void> => {
    // Its own notifications come back, and say nothing new here.
    client.on('notification', ({ processId }) => {
      if (processId !== (client as { processID?: number }).processID) onWake()
    })
    // The next statement fails; and what was told last may be lost.
    client.once('end', notify)
    await client.connect()
    await client.query(`listen ${eventChannel}`)
    onWake()
    while (!closing.signal.aborted) {
      if (!isAsked) await rest()
      if (closing.signal.aborted) return
      const statement = isAsked ? `notify ${eventChannel}` : 'select 1'
      isAsked = false
      await client.query(statement)
      await pause(SPACING_MS)
    }
  }

  const keepListening = async (): Promise<void> => {
    let isLost = false
    while (!closing.signal.aborted) {
      const client = clientFor(connection)
      try {
        await listen(client)
      } catch (error) {
        if (!isLost && !closing.signal.aborted)
          log.warn({ err: error }, 'not hearing of new events; they are looked for each second meanwhile')
        isLost = true
      }
      // Of a connection that broke at the wrong moment this never settles.
      client.end().catch(() => {})
      await pause(RECONNECT_AFTER_MS)
    }
  }
  const ended = keepListening()

  return {
    notify,
    async close() {
      closing.abort()
      endRest()
      await ended
    },
  }
}

function clientFor(connection: pg.ClientConfig): pg.Client {
  const client = new pg.Client({
    ...connection,
    application_name: 'muster events',
    connectionTimeoutMillis: 5_000,
    query_timeout: ANSWER_WITHIN_MS,
    keepAlive: true,
  })
  // The next query tells; without a listener the process would end.
  client.on('error', () => {})
  return client
}
