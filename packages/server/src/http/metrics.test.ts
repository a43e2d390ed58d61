import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { request } from 'undici'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { hasProgram } from '../../../../examples/test/programs.ts'
import { openStream } from '../../test/clients/event-stream.ts'
import { basic, post } from '../../test/clients/http-device.ts'
import { connectMqtt, registerDevice } from '../../test/clients/mqtt-device.ts'
import { createTestDatabase } from '../../test/database/test-database.ts'
import { sharedTestApp, startTestApp, type TestApp, type TestAppOptions } from '../../test/harness/app.ts'
import { startServerProcess } from '../../test/harness/server-process.ts'
import { startReceiver } from '../../test/harness/webhook-receiver.ts'
import { dropNoncesJob } from '../auth/auth.jobs.ts'
import { putJobs } from '../jobs/queue.queries.ts'
import { metricTable } from '../metric-table.ts'

async function start(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await startTestApp(options)
  onTestFinished(() => app.close())
  return app
}

async function ask({ url }: { url: string }, headers: Record<string, string> = {}) {
  const { statusCode, headers: responseHeaders, body } = await request(`${url}/metrics`, { headers })
  return { status: statusCode, headers: responseHeaders, text: await body.text() }
}

/** Returns the metric values, keyed by name and labels, such as `muster_jobs{state="ready"}`. */
async function values(app: { url: string }): Promise<Record<string, number>> {
  const { text } = await ask(app)
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => [line.replace(/ [^ ]+$/, ''), Number(line.replace(/^.* /, ''))]))
}

const until = (server: { url: string }, expected: object) =>
  vi.waitFor(async () => expect(await values(server)).toMatchObject(expected), { timeout: 60_000, interval: 100 })

async function startProcess() {
  const { connection, drop } = await createTestDatabase()
  onTestFinished(drop)
  const folder = await mkdtemp(join(tmpdir(), 'muster-metrics-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { host = '', port, user, database, connectionString } = connection
  const server = await startServerProcess({
    DATABASE_URL:
      connectionString ?? `postgresql:///${database}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`,
    MUSTER_DATA: folder,
    MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
  })
  return server
}

test.skipIf(!hasProgram('promtool'))('exports metrics that promtool accepts', async () => {
  const { text } = await ask(await startProcess())
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})

test('exports exactly the metrics in the table', async () => {
  const server = await startProcess()
  const { status, headers, text } = await ask(server)
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([
    200,
    expect.stringMatching(/^text\/plain; version=0\.0\.4/),
    'no-store',
  ])
  const named = [...text.matchAll(/^# TYPE (muster_\w+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`)
  expect(named.sort()).toEqual(
    Object.values(metricTable)
      .map(({ name, type }) => `${name} ${type}`)
      .sort(),
  )
  // Some metrics exist only after the database has responded.
  await until(server, {
    process_resident_memory_bytes: expect.any(Number),
    muster_event_feed_lag_seconds: expect.any(Number),
    muster_webhook_maker_lag_events: expect.any(Number),
    'muster_jobs{state="failed"}': 0,
    'muster_database_connections_most{pool="requests"}': 13,
    'muster_database_connections_in_use{pool="work"}': expect.any(Number),
    'muster_database_waiting{pool="requests"}': 0,
    'muster_database_wait_seconds_count{pool="requests"}': expect.any(Number),
    'muster_webhook_deliveries{status="failed"}': 0,
  })
})

test('counts connected devices, their publications, and rejected connections', async () => {
  const app = await start({ mqtt: true })
  const device = await registerDevice(app.owner)
  const url = `mqtt://127.0.0.1:${app.mqttPort}`
  const client = await connectMqtt(url, device)
  await client.publishAsync(`devices/${device.id}/attributes`, '{"site": "oslo"}', { qos: 1 })
  await expect(connectMqtt(url, { ...device, secret: 'wrong' })).rejects.toThrow()
  await until(app, {
    muster_devices_connected: 1,
    muster_mqtt_connections: 1,
    'muster_mqtt_publications_total{kind="attributes"}': 1,
    'muster_mqtt_refusals_total{reason="wrong secret"}': 1,
  })
  await client.endAsync()
  await until(app, { muster_devices_connected: 0, muster_mqtt_connections: 0 })
})

test('does not export operation names, aliases, unknown fields, or paths from clients', async () => {
  const app = await start()
  const named = '{ mine: login { email } }'
  await app.owner.query(`query OfTheClient ${named}`)
  await app.owner.query(`query OfTheClient ${named}`)
  await app.owner.query('{ login { email } version }')
  await app.owner.query('mutation { deleteDevice(deviceId: "80:00:00:00:00:00:00:99") }')
  await app.owner.query('{ noSuchField }')
  await app.owner.query('{ noSuchField }')
  await fetch(`${app.url}/graphql/v1`, { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } })
  await fetch(`${app.url}/rest/v1/devices/words-of-a-client`)
  await fetch(`${app.url}/devices/v1/report`, { method: 'POST', body: '{}' })
  await fetch(`${app.url}/words/of/a/client`, { method: 'POST' })
  const { id, secret } = await registerDevice(app.owner)
  await post(app, 'report', { attributes: { $words: 'of a device' } }, basic(id, secret))
  await openStream({ app, user: app.owner, query: 'subscription { events(after: "words") { id } }' })
  await until(app, {
    'muster_requests_total{operation="login",status="200",code="OK"}': 2,
    'muster_requests_total{operation="several",status="200",code="OK"}': 1,
    'muster_requests_total{operation="deleteDevice",status="200",code="NOT_FOUND"}': 1,
    'muster_requests_total{operation="POST /graphql/v1",status="400",code="BAD_USER_INPUT"}': 3,
    'muster_requests_total{operation="GET /rest/v1/devices/:id",status="401",code="UNAUTHENTICATED"}': 1,
    'muster_requests_total{operation="POST /devices/v1/report",status="401",code="UNAUTHENTICATED"}': 1,
    'muster_requests_total{operation="other",status="404",code="NOT_FOUND"}': 1,
    'muster_requests_total{operation="POST /devices/v1/report",status="400",code="RESERVED_ATTRIBUTE"}': 1,
    'muster_requests_total{operation="events",status="200",code="NOT_FOUND"}': 1,
    'muster_request_seconds_count{kind="query"}': 3,
    'muster_request_seconds_count{kind="mutation"}': 2,
    'muster_request_seconds_count{kind="rest"}': 1,
    'muster_request_seconds_count{kind="device"}': 2,
    'muster_documents_total{found="new"}': 5,
    'muster_documents_total{found="known"}': 1,
    'muster_documents_total{found="refused"}': 2,
    muster_document_cache_bytes: expect.any(Number),
  })
  const { text } = await ask(app)
  expect(text).not.toMatch(/OfTheClient|mine|noSuchField|words/)
})

test('counts webhook deliveries, their attempts, and jobs', async () => {
  const app = await start({ worker: true, env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.1', MUSTER_WEBHOOK_RETRIES: '3600' } })
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  const { id } = await registerDevice(app.owner)
  await app.owner.data(`mutation { createWebhook(url: "${receiver.url}", events: [ATTRIBUTE_CHANGE]) { id } }`)
  const change = (value: string) =>
    app.owner.data(`mutation { setAttribute(serviceId: "${id}", name: "n", value: "${value}") }`)
  await change('1')
  await receiver.waitFor(1)
  receiver.respondWith((_message, response) => void response.writeHead(500).end())
  await change('2')
  await receiver.waitFor(2)
  receiver.respondWith((_message, response) => response.destroy())
  await change('3')
  await receiver.waitFor(3)
  await until(app, {
    'muster_webhook_attempts_total{outcome="delivered"}': 1,
    'muster_webhook_attempts_total{outcome="refused"}': 1,
    'muster_webhook_attempts_total{outcome="unanswered"}': 1,
    muster_webhook_attempt_seconds_count: 3,
    'muster_webhook_deliveries{status="pending"}': 2,
    muster_webhook_maker_lag_seconds: 0,
  })
  // The count may already be above 0, because the worker also runs this job every ten minutes.
  const jobs = `muster_job_seconds_count{task="${dropNoncesJob.name}",outcome="done"}`
  const { [jobs]: before = 0 } = await values(app)
  await putJobs(app.db, dropNoncesJob, [{ key: 'now', payload: undefined, delay: 0 }])
  await expect.poll(async () => (await values(app))[jobs]).toBeGreaterThan(before)
})

test('reports a feed lag while a transaction stays open', async () => {
  const app = await start()
  const [began, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  onTestFinished(() => released.resolve())
  const slow = app.db.transaction().execute(async (transaction) => {
    await sql`select pg_current_xact_id()`.execute(transaction)
    began.resolve()
    await released.promise
  })
  await began.promise
  await vi.waitFor(
    async () => {
      // Create a new event each time, because the feed ignores events from before its start.
      await registerDevice(app.owner)
      const found = await values(app)
      expect(found.muster_event_feed_lag_events).toBeGreaterThan(0)
      expect(found.muster_event_feed_lag_seconds).toBeGreaterThan(0)
    },
    { timeout: 60_000 },
  )
  released.resolve()
  await slow
  await until(app, { muster_event_feed_lag_events: 0, muster_event_feed_lag_seconds: 0 })
})

describe('access to metrics', () => {
  const open = sharedTestApp()

  test.each([
    ['x-forwarded-for', '203.0.113.9'],
    ['forwarded', 'for=203.0.113.9'],
    ['via', '1.1 proxy'],
    ['x-real-ip', '203.0.113.9'],
    ['x-forwarded-proto', 'https'],
    ['x-forwarded-server', 'proxy'],
    ['host', 'muster.example.com'],
    ['host', '192.0.2.1'],
  ])('is denied without a token to a request with %s: %s', async (name, value) => {
    const { status, text } = await ask(open, { [name]: value })
    expect([status, JSON.parse(text)]).toEqual([
      403,
      { errors: [{ message: expect.stringContaining('MUSTER_METRICS_TOKEN'), extensions: { code: 'FORBIDDEN' } }] },
    ])
    expect(text).not.toContain('muster_')
  })

  test('is granted without a token to programs on this machine', async () => {
    expect((await ask(open)).status).toBe(200)
  })

  test.each([
    ['MUSTER_PUBLIC_URL', 'https://muster.example.com'],
    ['MUSTER_TRUSTED_PROXIES', '10.0.0.0/8'],
  ])('is denied without a token if the settings include a proxy: %s', async (name, value) => {
    const app = await start({ env: { [name]: value } })
    expect((await ask(app)).status).toBe(403)
  })

  test('is granted only to clients that send the token', async () => {
    const token = 'correct-horse-battery-staple'
    const app = await start({ env: { MUSTER_METRICS_TOKEN: token, MUSTER_PUBLIC_URL: 'https://muster.example.com' } })
    const accepted = await ask(app, { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.9' })
    expect([accepted.status, accepted.text]).toEqual([200, expect.stringContaining('muster_event_feed_lag_seconds')])
    for (const authorization of [undefined, `Bearer ${token}x`, 'Bearer', `Basic ${token}`, token]) {
      const { status, headers, text } = await ask(app, authorization === undefined ? {} : { authorization })
      expect([status, headers['www-authenticate'], JSON.parse(text).errors[0].extensions.code]).toEqual([
        401,
        'Bearer realm="metrics"',
        'UNAUTHENTICATED',
      ])
    }
  })
})

test('counts a request as GONE if the client disconnects before the response', async () => {
  const app = await start()
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  socket.end('POST /devices/v1/report HTTP/1.1\r\nHost: muster\r\nContent-Length: 10\r\n\r\n{')
  socket.resume()
  await until(app, { 'muster_requests_total{operation="POST /devices/v1/report",status="0",code="GONE"}': 1 })
})
