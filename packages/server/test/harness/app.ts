import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type SigningKey, signRequest } from '@muster/http-signature'
import type { GraphQLFormattedError } from 'graphql'
import type pg from 'pg'
import { type Logger, pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { createAuthentication } from '../../src/auth/authenticate.ts'
import { createSecrets, type Secrets } from '../../src/auth/secrets.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { measureFairness } from '../../src/db/fair/fair.metrics.ts'
import { openNotifications } from '../../src/db/notifications.ts'
import type { ReadRouter } from '../../src/db/replica/read-router.ts'
import { createAccessKey } from '../../src/features/access-keys/access-keys.ts'
import { measureFeed } from '../../src/features/events/feed/feed.metrics.ts'
import { createFeed, type Feed } from '../../src/features/events/feed/feed.ts'
import { createConnections } from '../../src/features/presence/connections.ts'
import { acceptConnections } from '../../src/http/connections/listening-sockets.ts'
import { createMetrics, type Metrics } from '../../src/metrics.ts'
import { type MqttOptions, serveMqtt } from '../../src/mqtt/serve-mqtt.ts'
import { createOutbound } from '../../src/outbound/outbound-post.ts'
import type { Resolve } from '../../src/outbound/resolve.ts'
import { permissionNames } from '../../src/permissions.ts'
import { createRateLimits } from '../../src/rate-limits/rate-limits.ts'
import { localUrl } from '../../src/start/greeting.ts'
import { openCertificates } from '../../src/start/serving-certificates.ts'
import { measureCertificates } from '../../src/tls/tls.metrics.ts'
import { buildWorker } from '../../src/worker.ts'
import { clusterSettings } from '../cluster/cluster-databases.ts'
import { createTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { createAccount } from '../factories/account.ts'
import { rememberDerivedKeys } from './derived-keys.ts'
import { rejectInexactScalars } from './strict-scalars.ts'
import { unlimited } from './unlimited.ts'

rejectInexactScalars()
rememberDerivedKeys()

export interface QueryResponse<Data = Record<string, unknown>> {
  status: number
  headers: Headers
  data: Data | null | undefined
  errors: (GraphQLFormattedError & { extensions: { code: string } & Record<string, unknown> })[] | undefined
}

export interface TestUser {
  accountId: string
  email: string
  keyId: string
  secret: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its responses
  query<Data = any>(document: string, variables?: Record<string, unknown>): Promise<QueryResponse<Data>>
  /** Throws if the response contains errors. */
  // biome-ignore lint/suspicious/noExplicitAny: see query
  data<Data = any>(document: string, variables?: Record<string, unknown>): Promise<Data>
  /**
   * Adds a member to the account and returns the member's ID. The default role is `viewer`. The function is undefined
   * for users that the test app did not create.
   */
  addMember?(roleId?: string): Promise<string>
}

export interface TestApp {
  url: string
  db: Database
  connection: pg.ClientConfig
  config: Config
  /** The port for MQTT over TCP if the option `mqtt` is true, otherwise 0. */
  mqttPort: number
  owner: TestUser
  createUser(): Promise<TestUser>
  /** Starts another server on the same database. Close that server before this one. */
  startAnother(options?: TestAppOptions): Promise<TestApp>
  as(user: TestUser): TestUser
  close(): Promise<void>
}

export interface TestAppOptions {
  env?: Record<string, string>
  clock?: () => Date
  /** Returns the time in milliseconds, for counting failed signatures and refilling rate limits. */
  elapsed?: () => number
  /** The time limit for a statement to start. The default suits hundreds of concurrent requests on a slow machine. */
  statementWaitMs?: number
  jit?: boolean
  /** Whether to use a database that is not distributed, even on a cluster. */
  isPlain?: boolean
  worker?: boolean
  mqtt?: boolean
  /** Whether to exchange rate-limit usage with other servers. */
  sharesRateLimits?: boolean
  /** Chooses the database from which the server reads lists, such as a read replica. */
  readRouter?: ReadRouter
  resolve?: Resolve
  /** If omitted, the app does not log. */
  log?: Logger
}

/**
 * Starts a server before the tests of a file, and closes it after them. The returned object has no properties until the
 * `beforeAll` hook has run.
 */
export function sharedTestApp(options?: TestAppOptions): TestApp {
  const app = {} as TestApp
  beforeAll(async () => void Object.assign(app, await startTestApp(options)))
  afterAll(() => app.close?.())
  return app
}

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const metrics = createMetrics()
  const { isPlain = false, statementWaitMs: waitMs = 60_000 } = options
  const env = { ...(isPlain ? {} : clusterSettings), ...options.env }
  const database = await createTestDatabase({ ...configOf(env), ...measureFairness(metrics), waitMs }, isPlain)
  const app = await startOn(database, createSecrets(randomBytes(32)), { ...options, env, metrics })
  return {
    ...app,
    async close() {
      await app.close()
      await database.drop()
    },
  }
}

const configOf = (env: Record<string, string> = {}): Config =>
  readConfig({ PORT: '0', MUSTER_LOG_LEVEL: 'silent', ...unlimited, ...env })

async function startOn(
  database: TestDatabase,
  secrets: Secrets,
  {
    env = {},
    worker: hasWorker = false,
    mqtt: hasMqtt = false,
    sharesRateLimits = false,
    resolve,
    metrics = createMetrics(),
    ...options
  }: TestAppOptions & { metrics?: Metrics },
): Promise<TestApp> {
  const config = configOf(env)
  const log = options.log ?? pino({ level: config.logLevel })
  const certificates = await openCertificates(config, log)
  const notifications = openNotifications({ connection: database.connection, log })
  const shared = { ...database, notifications }
  const rateLimits = createRateLimits({
    config,
    metrics,
    ...(sharesRateLimits && { exchange: { ...shared, log } }),
    ...(options.elapsed && { now: options.elapsed }),
  })
  const failed = rateLimits.failures
  const authentication = await createAuthentication({ ...shared, config, secrets, failed, log, ...options })
  const feed = createFeed({ ...shared, log, isCluster: config.cluster !== undefined })
  measureFeed(metrics, feed)
  measureCertificates(metrics, certificates)
  const outbound = createOutbound({ allowed: config.webhookAllow, ...(resolve && { resolve }) })
  const deps = {
    config,
    db: database.db,
    secrets,
    feed,
    outbound,
    rateLimits,
    metrics,
    certificate: certificates.http,
    log,
    ...authentication,
    ...options,
  }
  const worker = hasWorker ? buildWorker({ ...deps, ...shared }) : undefined
  await worker?.start()
  const app = await buildApp(deps)
  await acceptConnections(app, config)
  const { port } = app.server.address() as AddressInfo
  const url = localUrl({ ...config, host: '127.0.0.1', port })
  const presence = hasMqtt
    ? await servePresence({
        config,
        log,
        feed,
        metrics,
        rateLimits,
        certificate: certificates.mqtt,
        readRouter: options.readRouter,
        server: app.server,
        ...shared,
      })
    : undefined

  const newUser = async (): Promise<TestUser> => {
    const { id, email } = await createAccount(database.db)
    const viewer = { accountId: id, email, readOnly: false }
    const created = await createAccessKey({ db: database.db, viewer, secrets, clock: () => new Date() }, {})
    // Give the key all permissions that a key can have, so that a test can call every field with it.
    await database.db
      .updateTable('access_key')
      .set({ permissions: [...permissionNames] })
      .where('account_id', '=', id)
      .execute()
    const addMember = async (roleId = 'viewer'): Promise<string> => {
      const person = await createAccount(database.db)
      const row = { account_id: id, person_id: person.id, role_id: roleId, source: 'operator' }
      await database.db.insertInto('membership').values(row).execute()
      return person.id
    }
    return testUser(url, { accountId: id, email, keyId: created.key, secret: created.secret!, addMember })
  }
  return {
    url,
    db: database.db,
    connection: database.connection,
    config,
    mqttPort: presence?.port ?? 0,
    owner: await newUser(),
    createUser: newUser,
    startAnother: (more = {}) => startOn(database, secrets, { ...more, env: { ...clusterSettings, ...more.env } }),
    as: (user) => testUser(url, user),
    async close() {
      await presence?.close()
      await app.close()
      await worker?.close()
      await outbound.close()
      await feed.close()
      await authentication.close()
      await rateLimits.close()
      await notifications.close()
      await certificates.close()
    },
  }
}

async function servePresence(
  options: TestDatabase &
    Pick<MqttOptions, 'notifications' | 'log' | 'server' | 'rateLimits' | 'certificate' | 'readRouter'> & {
      config: Config
      feed: Feed
      metrics: Metrics
    },
) {
  const { presenceGrace: graceMs } = options.config
  const onEvents = (): void => options.feed.wake()
  const isByAccount = options.config.cluster !== undefined
  const connections = createConnections({ ...options, graceMs, isByAccount, onEvents })
  const mqtt = await serveMqtt({ ...options, connections, onEvents, port: 0 })
  return {
    port: mqtt.port,
    async close() {
      await mqtt.close()
      await connections.close()
    },
  }
}

export function testUser(
  url: string,
  user: Pick<TestUser, 'accountId' | 'email' | 'keyId' | 'secret' | 'addMember'>,
): TestUser {
  const key: SigningKey = { algorithm: 'hmac-sha256', secret: Buffer.from(user.secret, 'base64') }
  const query: TestUser['query'] = (document, variables) =>
    sendSigned(`${url}/graphql/v1`, user.keyId, key, { query: document, variables })
  return {
    ...user,
    query,
    async data(document, variables) {
      const { data, errors } = await query(document, variables)
      if (errors !== undefined)
        throw new Error(errors.map((error) => `${error.extensions.code}: ${error.message}`).join('; '))
      return data
    },
  }
}

async function sendSigned<Data>(
  url: string,
  keyId: string,
  key: SigningKey,
  operation: object,
): Promise<QueryResponse<Data>> {
  const body = JSON.stringify(operation)
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
  const created = Math.floor(Date.now() / 1_000)
  const signature = signRequest({ keyId, key, method: 'POST', url, headers, body, created })
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...signature }, body })
  const { data, errors } = (await response.json()) as Pick<QueryResponse<Data>, 'data' | 'errors'>
  return { status: response.status, headers: response.headers, data, errors }
}
