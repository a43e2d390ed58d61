import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { get as getTls } from 'node:https'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { signRequest } from '@muster/http-signature'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { seedDevices } from '../../../test/factories/seed-devices.ts'
import { sharedTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'
import { createCertificate } from '../../../test/harness/certificate.ts'

const PATIENT = { timeout: 60_000 }
const MIB = 1024 * 1024
const small = '{ login { id } }'
/** A query whose response of 16 MB is larger than a connection's buffers. */
const large = `{ login { ${['a', 'b', 'c', 'd'].map((alias) => `${alias}: devices(size: 100) { items { attributes } }`).join(' ')} } }`

const app = sharedTestApp({ env: { MUSTER_QUEUED_BYTES_PER_USER: String(MIB), MUSTER_READ_TIMEOUT: '600' } })
beforeAll(async () => {
  const attributes = { text: 'x'.repeat(40_000) }
  await seedDevices(
    app.db,
    app.owner.accountId,
    Array.from({ length: 100 }, () => ({ attributes })),
  )
})

function signedText(url: string, { keyId, secret }: TestUser, query: string): string {
  const body = JSON.stringify({ query })
  const target = `${url}/graphql/v1`
  const headers = { 'content-type': 'application/json' }
  const key = { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') } as const
  const created = Math.floor(Date.now() / 1_000)
  const signature = signRequest({ keyId, key, method: 'POST', url: target, headers, body, created })
  const fields = { host: new URL(url).host, ...headers, ...signature, 'content-length': String(body.length) }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return `POST /graphql/v1 HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Sends requests on one connection without reading the responses. */
async function askWithoutReading(server: TestApp, times = 1): Promise<Socket> {
  const { hostname, port, protocol } = new URL(server.url)
  const to = { host: hostname, port: Number(port) }
  const socket = protocol === 'https:' ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.pause()
  await once(socket, protocol === 'https:' ? 'secureConnect' : 'connect')
  for (let time = 0; time < times; time++) socket.write(signedText(server.url, server.as(app.owner), large))
  return socket
}

async function metricsOf({ url }: TestApp): Promise<string> {
  const options = {
    headers: { authorization: 'Bearer 0123456789abcdef' },
    rejectUnauthorized: false,
    agent: false,
  } as const
  const request = url.startsWith('https:') ? getTls(`${url}/metrics`, options) : get(`${url}/metrics`, options)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return text(response)
}
const queuedIn = async (server: TestApp) =>
  Number(/muster_queued_response_bytes (\d+)/.exec(await metricsOf(server))?.[1])

test('stops producing responses for a user who does not read them, and serves other users', async () => {
  const other = await app.createUser()
  const sockets = await Promise.all(Array.from({ length: 8 }, (_, index) => askWithoutReading(app, (index % 2) + 1)))
  await vi.waitFor(async () => expect(await queuedIn(app)).toBeGreaterThan(8 * MIB), PATIENT)
  const rejected = await app.owner.query(small)
  expect([rejected.status, rejected.errors?.[0]?.extensions.code]).toEqual([429, 'RATE_LIMITED'])
  expect(rejected.errors?.[0]?.message).toMatch(/^earlier responses have not been read/)
  expect(rejected.headers.get('retry-after')).toBe('1')
  expect((await other.query(small)).status).toBe(200)
  // At most one large response is queued, because a caller's first response may have any size.
  expect(await queuedIn(app)).toBeLessThan(24 * MIB)

  for (const socket of sockets) socket.destroy()
  await vi.waitFor(async () => expect(await queuedIn(app)).toBe(0), PATIENT)
  expect((await app.owner.query(small)).status).toBe(200)
})

test('rejects waiting requests if the client reads nothing for a while', async () => {
  // The limit allows one response, but not two.
  const another = await app.startAnother({ env: { MUSTER_QUEUED_BYTES_PER_USER: String(20 * MIB) } })
  onTestFinished(() => another.close())
  await askWithoutReading(another)
  await vi.waitFor(async () => expect(await queuedIn(another)).toBeGreaterThan(8 * MIB), PATIENT)
  const rejected = await another.as(app.owner).query(large)
  expect([rejected.status, rejected.errors?.[0]?.extensions.code]).toEqual([429, 'RATE_LIMITED'])
})

test('produces all responses one after another if the client reads them', async () => {
  const responses = await Promise.all(Array.from({ length: 3 }, () => app.owner.query(large)))
  expect(responses.map(({ status, errors }) => [status, errors])).toEqual(Array(3).fill([200, undefined]))
  expect(responses.every(({ data }) => JSON.stringify(data).length > 15_000_000)).toBe(true)
  expect(await queuedIn(app)).toBe(0)
})

test('closes a connection whose client reads nothing', async () => {
  const another = await app.startAnother({ env: { MUSTER_READ_TIMEOUT: '1' } })
  onTestFinished(() => another.close())
  await askWithoutReading(another)
  await vi.waitFor(async () => expect(await queuedIn(another)).toBeGreaterThan(8 * MIB), PATIENT)
  await vi.waitFor(async () => expect(await queuedIn(another)).toBe(0), PATIENT)
  expect(await metricsOf(another)).toContain('muster_requests_under_way 0')
})

test('closes a TLS connection whose client reads nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unread-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { cert, key } = await createCertificate(folder, 'server')
  const tls = { MUSTER_TLS_CERT: cert, MUSTER_TLS_KEY: key, MUSTER_METRICS_TOKEN: '0123456789abcdef' }
  const another = await app.startAnother({ env: { ...tls, MUSTER_READ_TIMEOUT: '2' } })
  onTestFinished(() => another.close())
  await askWithoutReading(another)
  await vi.waitFor(async () => expect(await queuedIn(another)).toBeGreaterThan(8 * MIB), PATIENT)
  await vi.waitFor(async () => expect(await queuedIn(another)).toBe(0), PATIENT)
})
