import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const CHECK_INTERVAL_MS = 50
/** The server probes the database if a caller waits longer than this number of milliseconds. */
const PROBE_AFTER_MS = 150
/**
 * The time limit of a probe, in milliseconds. It doubles with each retry, up to `max`. A retry uses a new connection,
 * because the old one may be dead.
 */
const PROBE_TIMEOUT_MS = { first: 3_000, max: 8_000 }
/** Without keep-alive packets at this interval, firewalls and NAT gateways could drop the probe's idle connection. */
const KEEP_ALIVE_MS = 10_000

export interface ResponseWatchOptions {
  connection: pg.ClientConfig
  /** The number of milliseconds without a response to a probe after which the database counts as unresponsive. */
  timeoutMs: number
  /** Called with true when the database becomes unresponsive, and with false when it responds again. */
  onChange?: ((isUnresponsive: boolean) => void) | undefined
}

export interface ResponseWatch {
  connect(): Promise<pg.PoolClient>
  close(): void
}

interface Waiting {
  since: number
  reject: (error: Error) => void
}

/**
 * Fails statements early while the database is unresponsive: frozen, or unreachable without an error. PostgreSQL's
 * statement timeout does not help in these cases. Until the database responds again, waiting statements fail, and new
 * statements are rejected immediately. A slow statement continues if the database responds to probes. Once the probe's
 * connection is open, the server sends probes only while callers wait or the database is unresponsive.
 */
export function watchResponses(
  pool: pg.Pool,
  { connection, timeoutMs, onChange }: ResponseWatchOptions,
): ResponseWatch {
  const takenAt = new Map<pg.PoolClient, number>()
  const waiting = new Set<Waiting>()
  const probe = createProbe(connection)
  let isUnresponsive = false
  let timer: NodeJS.Timeout | undefined
  /** The number of checks since the probe started. Unlike the elapsed time, it excludes pauses of the process. */
  let checks = 0
  let respondedAt = Number.NEGATIVE_INFINITY

  const failWaiting = (): void => {
    for (const { reject } of waiting) reject(unresponsiveError())
    waiting.clear()
    for (const client of takenAt.keys()) destroy(client)
  }

  const setUnresponsive = (value: boolean): void => {
    if (value === isUnresponsive) return
    isUnresponsive = value
    if (isUnresponsive) {
      failWaiting()
      // The checks may have stopped during the probe, because no caller was waiting any longer.
      start()
    }
    onChange?.(isUnresponsive)
  }

  const runProbe = async (): Promise<void> => {
    checks = 0
    // A probe can also fail to start, for example because a certificate file is missing. The database may then still be
    // responsive.
    const responds = await probe.run().catch(() => true)
    if (responds) respondedAt = performance.now()
    setUnresponsive(!responds)
  }

  const isAnyoneWaiting = (): boolean => {
    const latest = performance.now() - PROBE_AFTER_MS
    for (const [client, since] of takenAt) if (since < latest && isRunningQuery(client)) return true
    for (const { since } of waiting) if (since < latest) return true
    return false
  }

  const check = (): void => {
    const isUsed = takenAt.size > 0 || waiting.size > 0
    if (!isUsed && (pool.ending || !isUnresponsive)) stop()
    else if (probe.isRunning()) {
      checks++
      if (checks * CHECK_INTERVAL_MS >= timeoutMs) setUnresponsive(true)
    } else if (isUnresponsive || (isAnyoneWaiting() && performance.now() - respondedAt > PROBE_AFTER_MS))
      void runProbe()
  }

  const start = (): void => {
    timer ??= setInterval(check, CHECK_INTERVAL_MS).unref()
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  pool.on('connect', probe.prepare)
  pool.on('acquire', (client) => {
    takenAt.set(client, performance.now())
    start()
  })
  pool.on('release', (_error, client) => takenAt.delete(client))
  pool.on('remove', (client) => takenAt.delete(client))

  return {
    connect() {
      if (isUnresponsive) return Promise.reject(unresponsiveError())
      // An idle connection is available immediately, so there is nothing to watch.
      if (pool.idleCount > 0 && pool.waitingCount === 0) return pool.connect()
      return new Promise((resolve, reject) => {
        const wait: Waiting = { since: performance.now(), reject }
        waiting.add(wait)
        start()
        pool.connect().then(
          (client) => (waiting.delete(wait) ? resolve(client) : client.release()),
          (error: Error) => {
            waiting.delete(wait)
            reject(error)
          },
        )
      })
    },
    close: probe.close,
  }
}

/** Creates an error with PostgreSQL's code for a connection that cannot be established (Appendix A, class 08). */
const unresponsiveError = (): Error => Object.assign(new Error('the database is not responding'), { code: '08001' })

/** Checks whether a query is running. A caller whose connection runs no query is not waiting for the database. */
const isRunningQuery = (client: pg.PoolClient): boolean =>
  (client as unknown as { _activeQuery: unknown })._activeQuery !== null

/** Destroys the client's connection. The running query fails, and the pool replaces the connection. */
const destroy = (client: pg.PoolClient): void =>
  void (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()

interface Probe {
  /** Opens the probe's connection in advance, because a probe must not wait for a new connection. */
  prepare(): void
  /** Runs a query, and retries until it receives a response or an error. Resolves to whether the database responded. */
  run(): Promise<boolean>
  isRunning(): boolean
  close(): void
}

/** Keeps a connection open, because a busy machine may need longer than the response timeout to open one. */
function createProbe(connection: pg.ClientConfig): Probe {
  let current: pg.Client | undefined
  let isRunning = false
  let isClosed = false

  const end = (client: pg.Client): void => {
    if (current === client) current = undefined
    client.end().catch(() => {})
  }

  const open = (): pg.Client => {
    const client = clientFor(connection)
    client.once('end', () => end(client))
    current = client
    return client
  }

  const runOnce = async (withinMs: number): Promise<boolean | 'nothing'> => {
    const isNew = current === undefined
    const client = current ?? open()
    const responded = (isNew ? client.connect() : Promise.resolve()).then(() => client.query('select 1'))
    const result = await Promise.race([
      responded.then(
        () => true,
        (error: unknown) => error instanceof pg.DatabaseError,
      ),
      sleep(withinMs, 'nothing' as const, { ref: false }),
    ])
    if (result === true && !isClosed) return true
    end(client)
    // If the connection broke while it was idle, the database may still be responsive, so `run` opens a new connection.
    return result === false && !isNew ? 'nothing' : result
  }

  return {
    prepare() {
      if (current === undefined && !isClosed) runOnce(PROBE_TIMEOUT_MS.max).catch(() => {})
    },
    isRunning: () => isRunning,
    async run() {
      isRunning = true
      let result: boolean | 'nothing' = 'nothing'
      let withinMs = PROBE_TIMEOUT_MS.first
      try {
        while (result === 'nothing' && !isClosed) {
          result = await runOnce(withinMs)
          withinMs = Math.min(2 * withinMs, PROBE_TIMEOUT_MS.max)
        }
      } finally {
        isRunning = false
      }
      return result !== false
    },
    close() {
      isClosed = true
      if (current !== undefined) end(current)
    },
  }
}

function clientFor(connection: pg.ClientConfig): pg.Client {
  const client = new pg.Client({
    ...connection,
    application_name: 'muster watch',
    connectionTimeoutMillis: PROBE_TIMEOUT_MS.max,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  })
  client.on('error', () => {})
  return client
}
