import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type SigningKey, type SignRequestOptions, signRequest } from '@muster/http-signature'
import { pino } from 'pino'
import { buildApp } from '../../src/app.ts'
import { createAuthentication } from '../../src/auth/authenticate.ts'
import { createSecrets, type Secrets } from '../../src/auth/secrets.ts'
import { readConfig } from '../../src/config.ts'
import { openNotifications } from '../../src/db/notifications.ts'
import { type AccessKeyInput, createAccessKey } from '../../src/features/access-keys/access-keys.ts'
import { createFeed } from '../../src/features/events/feed/feed.ts'
import { acceptConnections } from '../../src/http/connections/listening-sockets.ts'
import { createOutbound } from '../../src/outbound/outbound-post.ts'
import { createTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { createAccount } from '../factories/account.ts'
import { unlimited } from '../harness/unlimited.ts'

/** A database and a master key, with any number of complete servers. */
export interface Installation extends TestDatabase {
  secrets: Secrets
  startServer(options?: ServerOptions): Promise<string>
  createUser(): Promise<KeyOwner>
  close(): Promise<void>
}

export interface ServerOptions {
  env?: Record<string, string>
  clock?: () => Date
  /** Returns the time in milliseconds, for counting failed signatures. */
  elapsed?: () => number
}

export interface KeyOwner {
  accountId: string
  email: string
  createKey(input?: AccessKeyInput): Promise<Signer>
}

export interface Signer {
  keyId: string
  key: SigningKey
}

/** Returns a clock that advances a minute per call, so that tests never reach the limit of failed signatures. */
export function oneMinutePerCall(): () => number {
  let minutes = 0
  return () => ++minutes * 60_000
}

export async function createInstallation(): Promise<Installation> {
  const database = await createTestDatabase()
  const secrets = createSecrets(randomBytes(32))
  const running: (() => Promise<void>)[] = []
  return {
    ...database,
    secrets,
    async startServer(options = {}) {
      const { url, close } = await startServer(database, secrets, options)
      running.push(close)
      return url
    },
    createUser: () => newUser(database, secrets),
    async close() {
      for (const close of running) await close()
      await database.drop()
    },
  }
}

async function startServer(
  { db, connection }: TestDatabase,
  secrets: Secrets,
  { env = {}, clock = () => new Date(), elapsed }: ServerOptions,
): Promise<{ url: string; close: () => Promise<void> }> {
  const config = readConfig({ PORT: '0', MUSTER_LOG_LEVEL: 'silent', ...unlimited, ...env })
  const log = pino({ level: config.logLevel })
  const notifications = openNotifications({ connection, log })
  const authentication = createAuthentication({
    db,
    notifications,
    config,
    secrets,
    log,
    clock,
    ...(elapsed && { elapsed }),
  })
  const feed = createFeed({ db, notifications, log })
  const outbound = createOutbound({ allowed: config.webhookAllow })
  const app = await buildApp({ config, db, secrets, log, clock, feed, outbound, ...authentication })
  await acceptConnections(app, config)
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    async close() {
      await app.close()
      await outbound.close()
      await feed.close()
      await authentication.close()
      await notifications.close()
    },
  }
}

async function newUser({ db }: TestDatabase, secrets: Secrets): Promise<KeyOwner> {
  const { id, email } = await createAccount(db)
  const context = { db, viewer: { accountId: id, email, readOnly: false }, secrets, clock: () => new Date() }
  return {
    accountId: id,
    email,
    async createKey(input = {}) {
      const { key, secret } = await createAccessKey(context, input)
      return { keyId: key, key: { algorithm: 'hmac-sha256', secret: Buffer.from(secret ?? '', 'base64') } }
    },
  }
}

export interface ApiResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of responses
  body: any
}

export type Signing = Partial<Omit<SignRequestOptions, 'keyId' | 'key'>> & {
  /** Headers that the client adds after signing. */
  unsignedHeaders?: Record<string, string>
}

/** Sends a request, by default with POST. `url` in `signing` is the signed URL, not the target. */
export async function send(
  server: string,
  signer: Signer | undefined,
  query: string,
  signing: Signing = {},
): Promise<ApiResponse> {
  const { unsignedHeaders = {}, method = 'POST', ...more } = signing
  const isGet = method === 'GET'
  const target = `${server}/graphql/v1${isGet ? `?query=${encodeURIComponent(query)}` : ''}`
  const body = isGet ? undefined : JSON.stringify({ query })
  const headers: Record<string, string> = isGet ? {} : { 'content-type': 'application/json' }
  const created = Math.floor(Date.now() / 1_000)
  const added = signer && signRequest({ ...signer, method, url: target, headers, body, created, ...more })
  const response = await fetch(target, {
    method,
    headers: { ...headers, ...added, ...unsignedHeaders, accept: 'application/graphql-response+json' },
    ...(body !== undefined && { body }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

export const reasonOf = ({ body }: ApiResponse): unknown => body.errors?.[0]?.extensions?.reason
