import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type SignRequestOptions, signRequest } from '@muster/http-signature'
import fastify from 'fastify'
import type pg from 'pg'
import { pino } from 'pino'
import { createAuthentication } from '../../src/auth/authenticate.ts'
import { createSecrets, type Secrets } from '../../src/auth/secrets.ts'
import { readConfig } from '../../src/config.ts'
import { openNotifications } from '../../src/db/notifications.ts'
import { ApiError } from '../../src/errors.ts'
import type { CreatedAccessKey } from '../../src/features/access-keys/access-key.ts'
import { type AccessKeyInput, createAccessKey } from '../../src/features/access-keys/access-keys.ts'
import { createTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { createAccount } from '../factories/account.ts'

/** A database and a master key, with small servers that only authenticate requests. */
export interface AuthenticationServers extends TestDatabase {
  secrets: Secrets
  createUser(): Promise<KeyOwner>
  startServer(options?: ServerOptions): Promise<Server>
  close(): Promise<void>
}

export interface ServerOptions {
  env?: Record<string, string>
  clock?: () => Date
  /** Returns the time in milliseconds, for counting failed signatures. */
  elapsed?: () => number
  /** The database connection for notifications. The default is the connection of the test database. */
  connection?: pg.ClientConfig
}

export interface KeyOwner {
  viewer: { accountId: string; email: string; readOnly: boolean }
  context: Parameters<typeof createAccessKey>[0]
  createKey(input?: AccessKeyInput): Promise<CreatedAccessKey>
}

export interface Server {
  url: string
  /** Signs and sends a request. `alter` changes the request after signing. */
  send(signed: Partial<SignRequestOptions> & { alter?: (request: Request) => Request }): Promise<ServerResponse>
  /** Sends a request with a body, signed in form B (RFC 9421) with an hmac-sha256 key. */
  as(key: { key: string; secret: string | null }, options?: Partial<SignRequestOptions>): Promise<ServerResponse>
  close(): Promise<void>
}

export interface ServerResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of responses
  body: any
}

export async function createAuthenticationServers(): Promise<AuthenticationServers> {
  const database = await createTestDatabase()
  const secrets = createSecrets(randomBytes(32))
  const servers: Server[] = []
  return {
    ...database,
    secrets,
    createUser: () => newUser(database, secrets),
    async startServer(options = {}) {
      const server = await listen(database, secrets, options)
      servers.push(server)
      return server
    },
    async close() {
      for (const server of servers) await server.close()
      await database.drop()
    },
  }
}

async function newUser({ db }: TestDatabase, secrets: Secrets): Promise<KeyOwner> {
  const { id, email } = await createAccount(db)
  const viewer = { accountId: id, email, readOnly: false }
  const context = { db, viewer, secrets, clock: () => new Date() }
  return { viewer, context, createKey: (input = {}) => createAccessKey(context, input) }
}

async function listen(
  { db, connection }: TestDatabase,
  secrets: Secrets,
  { env = {}, clock = () => new Date(), connection: own = connection, ...options }: ServerOptions,
): Promise<Server> {
  const log = pino({ level: 'silent' })
  const notifications = openNotifications({ connection: own, log })
  const config = readConfig(env)
  const authentication = createAuthentication({ db, notifications, secrets, config, log, clock, ...options })
  const app = fastify({ forceCloseConnections: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, _request, reply) => {
    const { code, message, status, details } =
      error instanceof ApiError ? error : new ApiError('INTERNAL', String(error))
    return reply.code(status).send({ code, message, ...details })
  })
  app.all('/who', async (request) => ({
    viewer: await authentication.authenticate(request, request.body as Buffer | undefined),
  }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const send = sender(`${url}/who`, clock)
  let closed: Promise<void> | undefined
  return {
    url,
    send,
    as: (key, options = {}) =>
      send({
        keyId: key.key,
        key: { algorithm: 'hmac-sha256', secret: Buffer.from(key.secret ?? '', 'base64') },
        ...options,
      }),
    close() {
      closed ??= app
        .close()
        .then(() => authentication.close())
        .then(() => notifications.close())
      return closed
    },
  }
}

function sender(url: string, clock: () => Date): Server['send'] {
  return async ({ alter = (request) => request, ...given }) => {
    const headers = { 'content-type': 'application/json' }
    const created = Math.floor(clock().getTime() / 1_000)
    const options = { method: 'POST', url, headers, body: '{"a":1}', created, ...given }
    const signature = options.key === undefined ? {} : signRequest(options as SignRequestOptions)
    const { method, body } = options
    const init = { method, headers: { ...headers, ...signature }, ...(method === 'GET' ? {} : { body }) }
    const response = await fetch(alter(new Request(options.url, init as RequestInit)))
    return { status: response.status, body: await response.json() }
  }
}
