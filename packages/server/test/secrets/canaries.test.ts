import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signRequest } from '@muster/http-signature'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newPerson } from '../clients/browser.ts'
import { basic, post } from '../clients/http-device.ts'
import { createTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { type MailServer, startMailServer } from '../harness/mail-server.ts'
import { claimPorts } from '../harness/ports.ts'
import { readCredentials, type ServerProcess, startServerProcess } from '../harness/server-process.ts'
import { startTraceCollector, type TraceCollector } from '../harness/trace-collector.ts'
import { type Receiver, startReceiver } from '../harness/webhook-receiver.ts'
import { CLIENT, type ForgingProvider, startForgingProvider } from '../single-sign-on/forging-provider.ts'
import { ssoSettings } from '../single-sign-on/sign-on.ts'
import { createCanaries } from './canaries.ts'
import { dumpTables } from './dump.ts'
import { mqttLogEntries, overMqtt } from './over-mqtt.ts'
import { invitations, otherSignIns, passwordSignIn, singleSignOn } from './sign-in-flows.ts'

const canaries = createCanaries()
const errors: string[] = []
const metricsToken = canaries.add('metrics token', randomBytes(18).toString('base64url'))
let database: TestDatabase
let provider: ForgingProvider
let mail: MailServer
let receiver: Receiver
let collector: TraceCollector
let folder: string
let server: ServerProcess
const ends: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  receiver = await startReceiver()
  provider = await startForgingProvider()
  mail = await startMailServer()
  collector = await startTraceCollector()
  folder = await mkdtemp(join(tmpdir(), 'muster-canaries-'))
  const databaseUrl = new URL(database.url)
  databaseUrl.searchParams.set('password', canaries.add('database password', randomBytes(18).toString('base64url')))
  // Choose the port in advance, because the server prints its public URL, which the test cannot reach.
  const [port] = await claimPorts(1, (end) => void ends.push(end))
  const started = await startServerProcess(
    {
      PORT: String(port),
      DATABASE_URL: databaseUrl.href,
      MUSTER_DATA: folder,
      MUSTER_LOG_LEVEL: 'trace',
      MUSTER_LOG_REQUESTS: '1',
      MUSTER_MASTER_KEY: canaries.add('master key', randomBytes(32).toString('base64')),
      MUSTER_MASTER_KEY_PREVIOUS: canaries.add('former master key', randomBytes(32).toString('base64')),
      MUSTER_METRICS_TOKEN: metricsToken,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${canaries.add('token of the collector', randomBytes(18).toString('base64url'))}`,
      ...ssoSettings(provider.issuer),
      MUSTER_OIDC_CLIENT_SECRET: canaries.add('OIDC client secret', CLIENT.secret),
      MUSTER_SMTP_URL: mail.url,
      MUSTER_SMTP_FROM: 'Muster <muster@example.com>',
      MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8',
      MUSTER_WEBHOOK_RETRIES: '86400',
    },
    (end) => void ends.push(end),
  )
  server = { ...started, url: `http://127.0.0.1:${port}` }
})
afterAll(async () => {
  for (const end of ends) await end()
  await provider.close()
  await mail.close()
  await receiver.close()
  await collector.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

interface Key {
  keyId: string
  secret: string
}

/** Sends a signed operation. `alterBody` changes the signed body, which makes the signature invalid. */
async function sendOperation(
  { keyId, secret }: Key,
  query: string,
  alterBody: (body: string) => string = (body) => body,
) {
  const url = `${server.url}/graphql/v1`
  const body = JSON.stringify({ query })
  const headers = { 'content-type': 'application/json' }
  const key = { algorithm: 'hmac-sha256' as const, secret: Buffer.from(secret, 'base64') }
  const created = Math.floor(Date.now() / 1_000)
  const signed = signRequest({ keyId, key, method: 'POST', url, headers, body, created })
  canaries.add('request signature', /:([^:]+):/.exec(signed.Signature ?? '')?.[1] ?? '')
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...signed }, body: alterBody(body) })
  const text = await response.text()
  // biome-ignore lint/suspicious/noExplicitAny: the callers know the shape of the responses
  const result: any = JSON.parse(text)
  if (result.errors !== undefined) errors.push(text)
  return result
}

async function accessKeys(owner: Key): Promise<void> {
  const { data } = await sendOperation(
    owner,
    'mutation { createAccessKey(name: "canary") { secret accessKey { key } } }',
  )
  const { key: keyId } = data.createAccessKey.accessKey
  const created = { keyId, secret: canaries.add('access key secret', data.createAccessKey.secret) }
  await sendOperation(created, '{ login { email accessKeys { key name } } }')
  await sendOperation(created, '{ login { email ')
  await sendOperation(created, '{ nothing }')
  await sendOperation(created, '{ login { email } }', (body) => `${body} `)
  await sendOperation({ ...created, keyId: 'MKNOBODY' }, '{ login { email } }')
  await sendOperation({ ...created, secret: randomBytes(32).toString('base64') }, '{ login { email } }')
  await sendOperation(owner, `mutation { updateAccessKey(key: "${keyId}", enabled: false) { key } }`)
  await sendOperation(created, '{ login { email } }')
}

async function webhooks(owner: Key): Promise<void> {
  const { data } = await sendOperation(owner, `mutation { createWebhook(url: "${receiver.url}") { id secret } }`)
  const { id, secret } = data.createWebhook
  canaries.add('webhook secret', secret)
  const send = async (): Promise<void> => {
    const test = await sendOperation(owner, `mutation { testWebhook(id: "${id}") { id } }`)
    await receiver.waitFor(1, (message) => message.id === test.data.testWebhook.id)
  }
  await send()
  const rotated = await sendOperation(owner, `mutation { rotateWebhookSecret(id: "${id}", overlap: 3600) { secret } }`)
  canaries.add('webhook secret', rotated.data.rotateWebhookSecret.secret)
  // Let the receiver return each message and its signature, so that the server could log or store them.
  receiver.respondWith(({ signature, text }, response) =>
    response.writeHead(500, { 'x-echo': signature }).end(signature + text),
  )
  await send()
  for (const { signature } of receiver.received) {
    for (const each of signature.split(' ')) canaries.add('webhook signature', each.replace(/^v1,/, ''))
  }
}

async function devices(owner: Key): Promise<void> {
  const { data } = await sendOperation(
    owner,
    'mutation { createRegistrationCode(uses: 2) { code registrationCode { id } } }',
  )
  const code = canaries.add('registration code', data.createRegistrationCode.code)
  const { body } = await post(server, 'register', { code, hardwareId: 'CANARY-1' })
  const { deviceId } = body
  const secret = canaries.add('device secret', body.secret)
  await post(server, 'report', { state: 'active' }, basic(deviceId, secret))
  // The server logs each reason only once in ten seconds. It logs this request and the next two, because they are the
  // first with their reasons.
  await post(server, 'report', { services: [{ id: secret, state: 'active' }] }, basic(deviceId, secret))
  const rejections = [
    await post(server, `register?code=${code}`, { code: 'MCNOBODY', hardwareId: 'CANARY-2' }),
    await post(server, 'report', { state: secret }, basic(deviceId, secret)),
    await post(server, `register?code=${code}`, ''),
    await post(server, 'register', { code, hardwareId: 'CANARY-1' }, basic(deviceId, `${secret}x`)),
    await post(server, 'register', { code: `${code}X`, hardwareId: 'CANARY-2' }),
    await post(server, 'register', { code: [code], hardwareId: 'CANARY-2' }),
    await post(server, 'register', `{"code":"${code}","hardwareId":`),
    await post(server, 'report', { state: secret }, basic(deviceId, `${secret}x`)),
    await post(server, 'report', { state: 'active' }, basic('0000000000000000', secret)),
  ]
  errors.push(...rejections.map((response) => JSON.stringify(response.body)))
  await overMqtt(server.url, { deviceId, secret }, canaries)
  const rotated = await sendOperation(owner, `mutation { rotateDeviceSecret(deviceId: "${deviceId}") { secret } }`)
  canaries.add('device secret', rotated.data.rotateDeviceSecret.secret)
}

const expectedLogEntries = [
  '"path":"/devices/v1/register"',
  'state must be active or inactive',
  'no device or service',
  ...mqttLogEntries,
]

/** Sends secrets in correct and wrong places in URLs and headers. */
async function urlsAndHeaders(owner: Key): Promise<void> {
  const { data } = await sendOperation(owner, '{ login { eventsUrl } }')
  const link = data.login.eventsUrl as string
  canaries.add('download link', new URL(link).searchParams.get('link') ?? '')
  const { pathname, search } = new URL(link)
  await (await fetch(`${server.url}${pathname}${search}`)).text()
  const wrong: [path: string, headers: Record<string, string>][] = [
    [`${new URL(link).pathname}${new URL(link).search}x`, {}],
    ['/graphql/v1', { authorization: `Bearer ${owner.secret}` }],
    ['/graphql/v1/stream', { authorization: `Signature keyId="${owner.keyId}",signature="${owner.secret}"` }],
    [`/%zz?secret=${encodeURIComponent(owner.secret)}`, {}],
    [`/nothing?secret=${encodeURIComponent(owner.secret)}`, { cookie: `muster.session_token=${owner.secret}` }],
    [`/graphql/v1?query={x(secret:"${encodeURIComponent(owner.secret)}")}`, {}],
    ['/metrics', { authorization: `Bearer ${metricsToken}x` }],
  ]
  for (const [path, headers] of wrong) {
    // Collect the whole text, because some of these paths return a console page.
    errors.push(await (await fetch(`${server.url}${path}`, { headers })).text())
  }
}

/** Terminates all of the server's database connections and waits until the server works again. */
async function terminateConnections(owner: Key): Promise<void> {
  const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'muster%' and pid <> pg_backend_pid()`.execute(
    database.db,
  )
  expect(rows.length).toBeGreaterThan(1)
  while ((await sendOperation(owner, '{ login { email } }')).data?.login === undefined);
}

it('keeps every secret out of the log, errors, deliveries, metrics, traces, and tables', async () => {
  const credentials = await readCredentials(folder)
  const owner = {
    keyId: credentials.MUSTER_ACCESS_KEY_ID ?? '',
    secret: canaries.add('access key secret', credentials.MUSTER_SECRET_ACCESS_KEY ?? ''),
  }
  canaries.add('password', credentials.MUSTER_PASSWORD ?? '')
  canaries.add('SMTP password', decodeURIComponent(new URL(mail.url).password))
  const person = await newPerson(database)
  const context = { server, database, provider, mail, canaries, errors, owner: person }
  // These flows run before those in `ofServer`, whose invalid secrets use up the attempts that an address has.
  const signIns = [invitations, passwordSignIn, singleSignOn, otherSignIns].map((flow) => () => flow(context))
  const ofServer = [devices, urlsAndHeaders, terminateConnections]
  const flows = [accessKeys, webhooks, ...signIns, ...ofServer]
  for (const flow of flows) await flow(owner)
  const authorization = `Bearer ${metricsToken}`
  const metrics = await (await fetch(`${server.url}/metrics`, { headers: { authorization } })).text()
  const dump = await dumpTables(database.db)
  await server.stop()
  const log = server.stdout() + server.stderr()
  const traces = collector.requests.map(({ text }) => text).join('\n')

  // Check that each place contains data, because an empty place never contains secrets.
  expect(log).toContain('"level":40')
  expect(log).toContain('"operation":"login"')
  expect(traces).toContain('webhook delivery')
  expect(metrics).toContain('muster_')
  expect(dump.get('access_key')).toContain(owner.keyId)
  expect([...dump.keys()]).toEqual(expect.arrayContaining(['session', 'event', 'webhook_delivery', '_private_jobs']))
  expect(errors.length).toBeGreaterThan(15)
  expect(canaries.names().length).toBeGreaterThan(12)
  for (const entry of expectedLogEntries) expect(log).toContain(entry)

  const places: [place: string, text: string][] = [
    ['log', log],
    ...errors.map((text): [string, string] => ['error', text]),
    ...receiver.received.map(({ text }): [string, string] => ['delivery', text]),
    ['metrics', metrics],
    ['traces', traces],
    ...Array.from(dump, ([table, text]): [string, string] => [`table ${table}`, text]),
  ]
  const { secrets, forms } = canaries.count()
  const lines = log.trimEnd().split('\n').length
  console.log(
    `${flows.length} flows; ${secrets} secrets of ${canaries.names().length} kinds, in ${forms} forms; searched ` +
      `${lines} lines of log, ${errors.length} errors, ${receiver.received.length} deliveries, metrics, ` +
      `${collector.requests.length} batches of traces, and ${dump.size} tables`,
  )
  for (const [place, text] of places) expect([place, ...canaries.foundIn(text)]).toEqual([place])
})

it.each([
  ['unchanged', (secret: string) => `"${secret}"`],
  ['in base64, alone', (secret: string) => Buffer.from(secret).toString('base64')],
  ['in base64, after other bytes', (secret: string) => Buffer.from(`id:${secret}`).toString('base64')],
  ['in hex, as bytea', (secret: string) => `\\x${Buffer.from(secret, 'base64').toString('hex')}`],
  ['in uppercase hex', (secret: string) => Buffer.from(secret).toString('hex').toUpperCase()],
  ['percent-encoded', encodeURIComponent],
])('detects a secret %s', (_form, write) => {
  const own = createCanaries()
  const secret = own.add('secret', `${randomBytes(30).toString('base64')}+/=`)
  expect(own.foundIn(`before ${write(secret)} after`)).not.toEqual([])
  expect(own.foundIn(`before ${write(randomBytes(30).toString('base64'))} after`)).toEqual([])
})
