import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type pg from 'pg'
import { destination, pino } from 'pino'
import { buildApp } from './app.ts'
import { createAuthentication } from './auth/authenticate.ts'
import { watchMasterKey } from './auth/master-key-watch.ts'
import type { Secrets } from './auth/secrets.ts'
import { type Config, ConfigError, readConfig, unknownSettings } from './config.ts'
import { createDatabase, createPool, type Database, type DatabaseOptions } from './db/database.ts'
import { EmbeddedError } from './db/embedded/embedded-error.ts'
import { migrate } from './db/migrate.ts'
import { measureFeed } from './features/events/feed/feed.metrics.ts'
import { createFeed, type Feed } from './features/events/feed/feed.ts'
import { createConnections } from './features/presence/connections.ts'
import { createRequestLoad } from './http/load.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { serveMqtt } from './mqtt/mqtt.ts'
import { createOutbound } from './outbound/outbound.ts'
import { createRateLimits, type RateLimits } from './rate-limits/rate-limits.ts'
import { type Closing, createClosing } from './start/closing.ts'
import { credentialsPath, isThere, updateUrl } from './start/credentials-file.ts'
import { greeting, localUrl } from './start/greeting.ts'
import { createReload } from './start/reload.ts'
import { openServingDatabase } from './start/serving-database.ts'
import { type SetUp, setUp } from './start/set-up.ts'
import { onStopSignal } from './start/stop-signal.ts'
import { StartError } from './start-error.ts'
import { type Certificates, openCertificates } from './tls/certificates.ts'
import { measureCertificates } from './tls/tls.metrics.ts'
import { buildWorker } from './worker.ts'

/** Requests under way may finish for this long once the server is asked to stop. */
const DRAIN_MS = 10_000

/**
 * Runs the server until SIGTERM or SIGINT, or its terminal is closed, and resolves once nothing of it is left. Rejects when it cannot start
 * or loses its database for good; `failureText` says it to whoever runs it.
 */
export async function serve(config: Config): Promise<void> {
  const log = pino({ level: config.logLevel }, destination(2))
  for (const name of unknownSettings()) log.warn({ name }, 'no such setting: misspelt, or of another release')

  const reload = createReload()
  const stopSignal = onStopSignal(reload.now)
  const closing = createClosing(log)
  let lost: string | undefined
  const onLost = (reason: string): void => {
    lost = reason
    stopSignal.stop()
  }
  try {
    await start({ config, log, closing, onLost, onReload: reload.add, signal: stopSignal.signal })
    if (!stopSignal.signal.aborted) await once(stopSignal.signal, 'abort')
    log.info('stopping')
  } catch (error) {
    if (!stopSignal.signal.aborted) throw error
  } finally {
    await closing.closeAll()
    stopSignal.release()
  }
  if (lost !== undefined) throw new StartError(lost)
}

/** What to print when `serve` rejects: the message alone where it was written to be read, the whole error otherwise. */
export function failureText(error: unknown): string {
  const kinds = [StartError, ConfigError, EmbeddedError]
  if (kinds.some((kind) => error instanceof kind)) return (error as Error).message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

interface Start {
  config: Config
  log: FastifyBaseLogger
  closing: Closing
  onLost: (reason: string) => void
  /** Adds what is to be read again when the server is told to. */
  onReload: (read: () => Promise<void>) => void
  signal: AbortSignal
}

async function start(options: Start): Promise<void> {
  const { config, log, closing, signal } = options
  const certificates = await openCertificates(config, log)
  closing.add({ name: 'certificates', close: certificates.close, within: 1_000 })
  options.onReload(certificates.reload)
  const database = await openServingDatabase(options)
  closing.add({ name: 'embedded database', close: database.stop, within: 30_000 })
  signal.throwIfAborted()

  const { secrets, isFirstStart } = await prepareDatabase(database.connection, config, log)
  signal.throwIfAborted()

  const assembled = await assemble({ ...options, secrets, certificates, connection: database.connection })
  const { app } = assembled
  const url = await listen(app, config)
  closing.add({ name: 'HTTP', close: () => drain(app), within: DRAIN_MS + 2_000 })
  await admitDevices({ ...options, ...assembled, certificates, connection: database.connection })

  if (config.publicUrl === undefined) {
    const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
    if (certificates.http?.current().isFor(host) === false)
      log.warn({ host }, 'the certificate is not for this host: set MUSTER_PUBLIC_URL to what clients call the server')
    await updateUrl(config.dataFolder, url).catch((error: unknown) => {
      log.warn({ err: error }, 'the credentials file still names the address of an earlier start')
    })
  }
  const credentials = credentialsPath(config.dataFolder)
  const where = (await isThere(credentials)) ? credentials : undefined
  process.stdout.write(greeting({ url: config.publicUrl ?? url, config, isFirstStart, credentials: where }))
}

/** On connections of its own: a migration, or waiting for another server's, may take longer than a statement may. */
async function prepareDatabase(connection: pg.PoolConfig, config: Config, log: FastifyBaseLogger): Promise<SetUp> {
  const db = openDatabase({ connection, size: 2, statementTimeout: 0 }, log)
  try {
    await migrateOrExplain(db, log)
    return await setUp({ db, config, url: config.publicUrl ?? localUrl(config), log })
  } finally {
    await db.destroy()
  }
}

async function migrateOrExplain(db: Database, log: FastifyBaseLogger): Promise<void> {
  try {
    const migrations = await migrate(db)
    if (migrations.length > 0) log.info({ migrations }, 'brought the database to this release')
  } catch (error) {
    const cause = (error as Error).message
    throw new StartError(`The database cannot be brought to this release of Muster: ${cause}.`, { cause: error })
  }
}

interface Assembled {
  app: FastifyInstance
  db: Database
  feed: Feed
  metrics: Metrics
  rateLimits: RateLimits
}

async function assemble(
  options: Start & { secrets: Secrets; certificates: Certificates; connection: pg.PoolConfig },
): Promise<Assembled> {
  const { config, log, closing, secrets, certificates, connection } = options
  const size = config.databaseConnections
  const db = openDatabase({ connection, size, statementTimeout: config.statementTimeout }, log)
  closing.add({ name: 'database connections', close: () => db.destroy(), within: 5_000 })
  const metrics = createMetrics({ ofProcess: true })
  const rateLimits = createRateLimits({ config, exchange: { db, connection, log }, metrics })
  closing.add({ name: 'rate limits', close: rateLimits.close, within: 5_000 })
  const authentication = createAuthentication({ db, connection, secrets, config, failed: rateLimits.failures, log })
  closing.add({ name: 'authentication', close: authentication.close, within: 5_000 })
  closing.add({ name: 'master key watch', ...watchMasterKey(db, secrets, log), within: 5_000 })
  const feed = createFeed({ db, connection, log })
  closing.add({ name: 'event feed', close: feed.close, within: 5_000 })
  const outbound = createOutbound({ allowed: config.webhookAllow })
  closing.add({ name: 'outbound connections', close: outbound.close, within: 1_000 })
  const load = createRequestLoad()
  measureFeed(metrics, feed)
  measureCertificates(metrics, certificates)
  const worker = buildWorker({ config, connection, secrets, feed, outbound, load, metrics, log })
  closing.add({ name: 'background work', close: worker.close, within: 10_000 })
  await worker.start()
  const certificate = certificates.http
  const parts = { config, db, ...authentication, secrets, feed, outbound, rateLimits, load, metrics, certificate, log }
  const app = await buildApp(parts)
  return { app, db, feed, metrics, rateLimits }
}

/** Keeps who is there, and takes connections of devices. */
async function admitDevices(
  options: Start & Assembled & { certificates: Certificates; connection: pg.PoolConfig },
): Promise<void> {
  const { app, db, feed, metrics, rateLimits, config, connection, log, closing } = options
  const onEvents = (): void => feed.wake()
  const connections = createConnections({ db, connection, log, holdMs: config.presenceHold, onEvents })
  closing.add({ name: 'presence', close: connections.close, within: 5_000 })
  const port = config.mqttPort === 0 ? undefined : config.mqttPort
  const mqtt = await serveMqtt({
    config,
    port,
    certificate: options.certificates.mqtt,
    db,
    connection,
    log,
    metrics,
    connections,
    rateLimits,
    server: app.server,
    onEvents,
  })
  closing.add({ name: 'MQTT', close: mqtt.close, within: 5_000 })
}

function openDatabase(options: DatabaseOptions, log: FastifyBaseLogger): Database {
  const pool = createPool(options)
  pool.on('error', ({ message }) => {
    // The error itself carries the connection with all that it knows.
    if (!pool.ending) log.warn({ reason: message }, 'a connection to the database broke and will be replaced')
  })
  return createDatabase(pool)
}

async function listen(app: FastifyInstance, { host, port, tlsCert }: Config): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw asStartError(error as NodeJS.ErrnoException, host, port)
  }
  return localUrl({ host, port: (app.server.address() as AddressInfo).port, tlsCert })
}

function asStartError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const causes: Record<string, string> = {
    EADDRINUSE: `port ${port} of ${host} is taken: stop what listens there, or set PORT to another one`,
    EACCES: `port ${port} may not be used by this user: set PORT to 1024 or above`,
    EADDRNOTAVAIL: `${host} is no address of this machine: correct HOST`,
    ENOTFOUND: `${host} is not the name of any address: correct HOST`,
  }
  const cause = causes[error.code ?? '']
  return cause === undefined ? error : new StartError(`Cannot listen: ${cause}.`, { cause: error })
}

/** New requests are turned away, those under way finish; after the time for that the rest is cut off. */
async function drain(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  await app.close()
  clearTimeout(timer)
}

if (import.meta.main) {
  try {
    await serve(readConfig())
  } catch (error) {
    process.stderr.write(`${failureText(error)}\n`)
    process.exitCode = 1
  }
}
