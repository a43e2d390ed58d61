import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { basic, post } from '../../test/clients/http-device.ts'
import { connectMqtt } from '../../test/clients/mqtt-device.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database/test-database.ts'
import { readCredentials, type ServerProcess, sendAs, startServerProcess } from '../../test/harness/server-process.ts'
import { type CollectedSpan, startTraceCollector, type TraceCollector } from '../../test/harness/trace-collector.ts'
import { type Receiver, startReceiver } from '../../test/harness/webhook-receiver.ts'
import { dropNoncesJob } from '../auth/auth.jobs.ts'
import { putJobs } from '../jobs/queue.queries.ts'

interface Traced {
  server: ServerProcess
  collector: TraceCollector
  database: TestDatabase
  ask(query: string, headers?: Record<string, string>): ReturnType<typeof sendAs>
}

type AtEnd = (end: () => Promise<unknown>) => void

async function start(env: Record<string, string>, atEnd: AtEnd): Promise<Traced> {
  const collector = await startTraceCollector()
  atEnd(collector.close)
  const database = await createTestDatabase()
  atEnd(database.drop)
  const folder = await mkdtemp(join(tmpdir(), 'muster-traces-'))
  atEnd(() => rm(folder, { recursive: true }))
  const server = await startServerProcess(
    {
      DATABASE_URL: database.url,
      MUSTER_DATA: folder,
      MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ...env,
    },
    atEnd,
  )
  const credentials = await readCredentials(folder)
  return { server, collector, database, ask: (query, headers) => sendAs(credentials, server.url, query, headers) }
}

const ends: (() => Promise<unknown>)[] = []
let traced: Traced
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  ends.push(receiver.close)
  traced = await start(
    {
      MUSTER_LOG_REQUESTS: '1',
      MUSTER_WEBHOOK_ALLOW: '127.0.0.1',
      OTEL_SERVICE_NAME: 'fleet',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme',
    },
    (end) => void ends.push(end),
  )
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

const newTrace = (isSampled = true): { traceId: string; parent: string; headers: Record<string, string> } => {
  const [traceId, parent] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, parent, headers: { traceparent: `00-${traceId}-${parent}-${isSampled ? '01' : '00'}` } }
}

const untilSpan = (matches: (span: CollectedSpan) => boolean): Promise<CollectedSpan> =>
  vi.waitFor(
    () => {
      const found = traced.collector.spans.find(matches)
      if (found === undefined) throw new Error('no such span yet')
      return found
    },
    { timeout: 100_000, interval: 50 },
  )

const childOf = (parent: CollectedSpan, name: string): CollectedSpan[] =>
  traced.collector.spans.filter((span) => span.parentSpanId === parent.spanId && span.name === name)

test("records a request, its operation, and its statements in the client's trace", async () => {
  const { traceId, parent, headers } = newTrace()
  const secret = 'a value of a client'
  const { body } = await traced.ask(
    `mutation NamedByClient { own: registerDevice(name: "${secret}") { device { id } } }`,
    headers,
  )
  expect(body.data.own.device.id).toEqual(expect.any(String))
  const root = await untilSpan((span) => span.traceId === traceId && span.parentSpanId === parent)
  expect(root).toMatchObject({
    name: 'POST /graphql/v1',
    isFailed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/graphql/v1',
      'http.response.status_code': 200,
      'muster.operation': 'registerDevice',
      'muster.code': 'OK',
    },
    resource: { 'service.name': 'fleet', 'service.version': expect.any(String) },
  })
  const [operation] = childOf(root, 'mutation registerDevice')
  expect(operation?.attributes).toEqual({
    'graphql.operation.type': 'mutation',
    'muster.operation': 'registerDevice',
  })
  const statements = traced.collector.spans.filter(({ parentSpanId }) => parentSpanId === operation!.spanId)
  expect(statements.length).toBeGreaterThan(0)
  for (const { name, attributes } of statements) {
    expect(attributes).toEqual({
      'db.system.name': 'postgresql',
      'db.operation.name': name.split(' ')[0],
      'db.collection.name': name.split(' ')[1],
      'muster.statement': expect.stringMatching(/^m\d+$/),
    })
  }
  expect(statements.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^insert \w+$/))
  const sent = traced.collector.requests.map(({ text }) => text).join()
  expect([secret, 'NamedByClient', '"own"'].filter((text) => sent.includes(text))).toEqual([])
  expect(traced.collector.requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-tenant': 'acme' } })
})

test('logs the IDs of a request and of its trace', async () => {
  const { traceId, headers } = newTrace()
  await traced.ask('{ login { device(id: "00:00:00:00:00:00:00:00") { id } } }', headers)
  const root = await untilSpan((span) => span.traceId === traceId && span.name === 'POST /graphql/v1')
  const line = await vi.waitFor(
    () => {
      const text = traced.server.stderr().match(new RegExp(`^.*${traceId}.*\n`, 'm'))?.[0]
      if (text === undefined) throw new Error('no such line yet')
      return JSON.parse(text)
    },
    { timeout: 100_000 },
  )
  expect(line).toMatchObject({
    msg: 'request',
    reqId: root.attributes['muster.request_id'],
    operation: 'login',
    status: 200,
    ms: expect.any(Number),
  })
})

test('records a failed operation with its error code', async () => {
  const { traceId, headers } = newTrace()
  await traced.ask('mutation { deleteDevice(deviceId: "80:00:00:00:00:00:00:99") }', headers)
  const operation = await untilSpan((span) => span.traceId === traceId && span.name === 'mutation deleteDevice')
  expect(operation).toMatchObject({ isFailed: true, attributes: { 'error.type': 'NOT_FOUND' } })
})

test('does not record a request if the client does not record it', async () => {
  const [unsampled, sampled] = [newTrace(false), newTrace()]
  await traced.ask('{ login { email } }', unsampled.headers)
  await traced.ask('{ login { email } }', sampled.headers)
  await untilSpan((span) => span.traceId === sampled.traceId && span.name === 'POST /graphql/v1')
  expect(traced.collector.spans.filter((span) => span.traceId === unsampled.traceId)).toEqual([])
})

test('records webhook deliveries, publications, and jobs', async () => {
  const { body } = await traced.ask('mutation { registerDevice(name: "d") { device { id } secret } }')
  const { device, secret } = body.data.registerDevice
  const client = await connectMqtt(`${traced.server.url.replace('http', 'ws')}/mqtt`, { id: device.id, secret })
  await client.publishAsync(`devices/${device.id}/attributes`, JSON.stringify({ color: 'a value' }), { qos: 1 })
  const publication = await untilSpan(({ name }) => name === 'publication attributes')
  expect(publication.parentSpanId).toBeUndefined()
  await post(traced.server, 'report', { state: 'active' }, basic(device.id, secret))
  await untilSpan(({ name }) => name === 'POST /devices/v1/report')

  const { createWebhook: webhook } = (
    await traced.ask(`mutation { createWebhook(url: "${receiver.url}/path-of-theirs") { id } }`)
  ).body.data
  await traced.ask(`mutation { testWebhook(id: "${webhook.id}") { id } }`)
  const delivery = await untilSpan(({ name }) => name === 'webhook delivery')
  expect(delivery.attributes).toEqual({
    'http.request.method': 'POST',
    'server.address': '127.0.0.1',
    'http.response.status_code': 200,
  })

  await putJobs(traced.database.db, dropNoncesJob, [{ key: 'now', payload: undefined, delay: 0 }])
  const job = await untilSpan(({ name }) => name === `job ${dropNoncesJob.name}`)
  await untilSpan(({ name, parentSpanId }) => name === 'delete used_nonce' && parentSpanId === job.spanId)
})

test('logs an unavailable collector once, fails no request, and sends the remaining spans at shutdown', async () => {
  const own = await start({ MUSTER_LOG_LEVEL: 'info' }, (end) => onTestFinished(async () => void (await end())))
  own.collector.respondWith(400)
  const before = own.collector.requests.length
  // Wait for a second export, which starts only after the first has failed.
  await vi.waitFor(
    async () => {
      expect((await own.ask('{ login { email } }')).status).toBe(200)
      expect(own.collector.requests.length).toBeGreaterThan(before + 1)
    },
    { timeout: 100_000, interval: 200 },
  )
  own.collector.respondWith(200)
  const { traceId, headers } = newTrace()
  await own.ask('{ login { email } }', headers)
  expect(await own.server.stop()).toBe(0)
  expect(own.collector.spans.some((span) => span.traceId === traceId)).toBe(true)
  const output = own.server.stderr()
  expect(output.split('traces cannot be exported and are lost').length - 1).toBe(1)
  expect(output.split('traces can be exported again').length - 1).toBe(1)
})
