import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import { createAuthentication } from './auth/authenticate.ts'
import { watchMasterKey } from './auth/master-key/master-key-watch.ts'
import type { Secrets } from './auth/secrets.ts'
import { measureBackups } from './backup/schedule/backups.metrics.ts'
import type { Config } from './config.ts'
import type { Database, PoolWatch } from './db/database.ts'
import { measureFairness } from './db/fair/fair.metrics.ts'
import { type Notifications, openNotifications } from './db/notifications.ts'
import { openDatabase } from './db/open-database.ts'
import type { Pool } from './db/pool/create-pool.ts'
import { watchPool } from './db/pool/instrument-pool.ts'
import type { ReadRouter } from './db/replica/read-router.ts'
import { measureFeed } from './features/events/feed/feed.metrics.ts'
import { createFeed, type Feed } from './features/events/feed/feed.ts'
import { createConnections } from './features/presence/connections.ts'
import { createRequestLoad } from './http/average-load.ts'
import { acceptConnections } from './http/connections/listening-sockets.ts'
import type { Metrics } from './metrics.ts'
import { serveMqtt } from './mqtt/serve-mqtt.ts'
import { createOutbound } from './outbound/outbound-post.ts'
import { createRateLimits, type RateLimits } from './rate-limits/rate-limits.ts'
import type { DatabaseAccess } from './start/database-urls.ts'
import { localUrl } from './start/greeting.ts'
import { openReadRouter } from './start/open-read-router.ts'
import type { Running } from './start/run-until-stopped.ts'
import type { Certificates } from './start/serving-certificates.ts'
import { StartError } from './start-error.ts'
import { measureCertificates } from './tls/tls.metrics.ts'
import { openTracing } from './tracing/optional-tracing.ts'
import { traceOutbound } from './tracing/outbound-spans.ts'
import type { Tracing } from './tracing/spans.ts'
import { buildWorker } from './worker.ts'

/** The number of milliseconds that `drain` waits for requests in flight. */
const DRAIN_MS = 10_000
const CLOSE_IDLE_EVERY_MS = 100

export interface ServingOptions extends Running {
  config: Config
  certificates: Certificates
  /** How to connect to the database, which must already be migrated. */
  database: DatabaseAccess
  secrets: Secrets
  metrics: Metrics
}

/** Resolves to the server's URL for clients on this machine. */
export async function startServing(options: ServingOptions): Promise<string> {
  const assembled = await assemble(options)
  options.signal.throwIfAborted()
  const { app } = assembled
  const url = await listen(app, options.config)
  options.closing.add({ name: 'HTTP', close: () => drain(app), within: DRAIN_MS + 2_000 })
  await acceptDevices({ ...options, ...assembled })
  warnOfOtherHost(url, options)
  return url
}

function warnOfOtherHost(url: string, { config, certificates, log }: ServingOptions): void {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  if (config.publicUrl === undefined && certificates.http?.current().isFor(host) === false)
    log.warn({ host }, 'the certificate is not for this host: set MUSTER_PUBLIC_URL to the URL that clients use')
}

interface Assembled {
  app: FastifyInstance
  db: Database
  readRouter: ReadRouter | undefined
  notifications: Notifications
  feed: Feed
  rateLimits: RateLimits
  tracing: Tracing | undefined
}

async function assemble(options: ServingOptions): Promise<Assembled> {
  const { config, log, closing, secrets, certificates, metrics } = options
  const tracing = await openTracing(config, log)
  if (tracing !== undefined) closing.add({ name: 'traces', close: tracing.close, within: config.traceTimeout + 2_000 })
  const { connection, requests } = options.database
  const { databaseConnections: size, statementTimeout, databaseSilence: responseTimeout } = config
  const onUnresponsive = (isUnresponsive: boolean): void => {
    if (isUnresponsive) log.warn('the database is not responding; requests that need it fail with UNAVAILABLE')
    else log.info('the database is responding again')
  }
  const watch = (pool: Pool): PoolWatch => watchPool(pool, 'requests', { metrics, tracing })
  const fairness = { ...config, ...measureFairness(metrics) }
  const db = openDatabase(
    { ...requests, size, statementTimeout, responseTimeout, onUnresponsive, watch, fairness },
    log,
  )
  closing.add({ name: 'database connections', close: () => db.destroy(), within: 5_000 })
  const readRouter = openReadRouter({ config, db, requests, metrics, tracing, log })
  if (readRouter !== undefined) closing.add({ name: 'replica', close: readRouter.close, within: 5_000 })
  const notifications = openNotifications({ connection, log })
  closing.add({ name: 'notifications', close: notifications.close, within: 5_000 })
  const rateLimits = createRateLimits({ config, exchange: { db, notifications, log }, metrics })
  closing.add({ name: 'rate limits', close: rateLimits.close, within: 5_000 })
  const authentication = createAuthentication({ db, notifications, secrets, config, failed: rateLimits.failures, log })
  closing.add({ name: 'authentication', close: authentication.close, within: 5_000 })
  closing.add({ name: 'master key watch', ...watchMasterKey(db, secrets, log), within: 5_000 })
  const feed = createFeed({ db, notifications, log, isCluster: config.cluster !== undefined })
  closing.add({ name: 'event feed', close: feed.close, within: 5_000 })
  const plainOutbound = createOutbound({ allowed: config.webhookAllow })
  const outbound = tracing === undefined ? plainOutbound : traceOutbound(tracing, plainOutbound)
  closing.add({ name: 'outbound connections', close: outbound.close, within: 1_000 })
  const load = createRequestLoad()
  measureFeed(metrics, feed)
  measureCertificates(metrics, certificates)
  measureBackups(metrics, config)
  const parts = { config, secrets, feed, outbound, rateLimits, load, metrics, tracing, log }
  const worker = buildWorker({ ...parts, connection, notifications })
  closing.add({ name: 'background work', close: worker.close, within: 10_000 })
  await worker.start()
  const app = await buildApp({ ...parts, ...authentication, db, readRouter, certificate: certificates.http })
  return { app, db, readRouter, notifications, feed, rateLimits, tracing }
}

async function acceptDevices(options: ServingOptions & Assembled): Promise<void> {
  const { app, db, notifications, feed, config, log, closing } = options
  const onEvents = (): void => feed.wake()
  const connections = createConnections({
    ...{ db, notifications, log, onEvents },
    graceMs: config.presenceGrace,
    isByAccount: config.cluster !== undefined,
  })
  closing.add({ name: 'presence', close: connections.close, within: 5_000 })
  const mqtt = await serveMqtt({
    ...options,
    port: config.mqttPort === 0 ? undefined : config.mqttPort,
    certificate: options.certificates.mqtt,
    connections,
    server: app.server,
    onEvents,
  })
  closing.add({ name: 'MQTT', close: mqtt.close, within: 5_000 })
}

async function listen(app: FastifyInstance, { host, port, tlsCert }: Config): Promise<string> {
  try {
    await acceptConnections(app, { host, port })
  } catch (error) {
    await app.close()
    throw asStartError(error as NodeJS.ErrnoException, host, port)
  }
  return localUrl({ host, port: (app.server.address() as AddressInfo).port, tlsCert })
}

function asStartError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const causes: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is in use: stop the program that listens on it, or set PORT to another port`,
    EACCES: `the server's user is not allowed to use port ${port}: set PORT to 1024 or above`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: set HOST to one of its addresses, such as 127.0.0.1`,
    ENOTFOUND: `the host name ${host} cannot be resolved: set HOST to an address of this machine, such as 127.0.0.1`,
  }
  const cause = causes[error.code ?? '']
  return cause === undefined ? error : new StartError(`Cannot listen: ${cause}.`, { cause: error })
}

/** Closes the app, and waits for requests in flight. After a time limit, closes the remaining connections. */
async function drain(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  // Clients keep connections open after the last response, and `app.close` would wait for these connections.
  const closeIdle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
  await app.close()
  clearInterval(closeIdle)
  clearTimeout(timer)
}
