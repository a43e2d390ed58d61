import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { get as getTls } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { register } from '../../../test/api/bulk-jobs.ts'
import { seedDevices } from '../../../test/factories/seed-devices.ts'
import { sharedTestApp, type TestApp } from '../../../test/harness/app.ts'
import { createCertificate } from '../../../test/harness/certificate.ts'
import { askWithoutReading } from '../../../test/harness/unread-request.ts'

const PATIENT = { timeout: 60_000 }
const MIB = 1024 * 1024
const small = '{ login { id } }'
const devices = 'devices(size: 100) { items { attributes } }'
const large = `{ login { ${['a', 'b', 'c', 'd'].map((alias) => `${alias}: ${devices}`).join(' ')} } }`

const app = sharedTestApp({ env: { MUSTER_QUEUED_BYTES_PER_USER: String(MIB), MUSTER_READ_TIMEOUT: '600' } })
beforeAll(async () => {
  const attributes = { text: 'x'.repeat(40_000) }
  await seedDevices(
    app.db,
    app.owner.accountId,
    Array.from({ length: 100 }, () => ({ attributes })),
  )
})

const askLarge = (server: TestApp, times = 1) => askWithoutReading(server, { user: app.owner, query: large, times })

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

const documentsIn = async (server: TestApp) => {
  const counts = (await metricsOf(server)).matchAll(/muster_documents_total\{.*\} (\d+)/g)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

test('stops producing responses for a user who does not read them, and serves other users', async () => {
  const other = await app.createUser()
  const sockets = await Promise.all(Array.from({ length: 8 }, (_, index) => askLarge(app, (index % 2) + 1)))
  await vi.waitFor(async () => expect(await queuedIn(app)).toBeGreaterThan(8 * MIB), PATIENT)
  const rejected = await app.owner.query(small)
  expect([rejected.status, rejected.errors?.[0]?.extensions.code]).toEqual([429, 'RATE_LIMITED'])
  expect(rejected.errors?.[0]?.message).toMatch(/^earlier responses have not been read/)
  expect(rejected.headers.get('retry-after')).toBe('1')
  expect((await other.query(small)).status).toBe(200)
  // Only one large response is queued: a caller's first response may have any size, but the others must wait.
  expect(await queuedIn(app)).toBeLessThan(24 * MIB)

  for (const socket of sockets) socket.destroy()
  await vi.waitFor(async () => expect(await queuedIn(app)).toBe(0), PATIENT)
  expect((await app.owner.query(small)).status).toBe(200)
})

test('rejects waiting requests if the client reads nothing for a while', async () => {
  // The limit allows one large response, but not two.
  const another = await app.startAnother({ env: { MUSTER_QUEUED_BYTES_PER_USER: String(20 * MIB) } })
  onTestFinished(() => another.close())
  await askLarge(another)
  await vi.waitFor(async () => expect(await queuedIn(another)).toBeGreaterThan(8 * MIB), PATIENT)
  const rejected = await another.as(app.owner).query(large)
  expect([rejected.status, rejected.errors?.[0]?.extensions.code]).toEqual([429, 'RATE_LIMITED'])
})

test('produces all responses if the client reads them, even if each exceeds the limit', async () => {
  // Each response exceeds the limit, but even a slow machine reads it before the server rejects the waiting requests.
  const query = `{ login { ${devices} } }`
  const responses = await Promise.all(Array.from({ length: 3 }, () => app.owner.query(query)))
  expect(responses.map(({ status, errors }) => [status, errors])).toEqual(Array(3).fill([200, undefined]))
  expect(responses.every(({ data }) => JSON.stringify(data).length > 3_900_000)).toBe(true)
  await vi.waitFor(async () => expect(await queuedIn(app)).toBe(0), PATIENT)
})

test('does not produce a waiting response after its client has left, and frees its place', async () => {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  // The limit allows one large response and some small ones.
  const env = { MUSTER_QUEUED_BYTES_PER_USER: String(20 * MIB), MUSTER_LOG_REQUESTS: '1' }
  const another = await app.startAnother({ env, log })
  onTestFinished(() => another.close())
  await askLarge(another)
  await vi.waitFor(async () => expect(await queuedIn(another)).toBeGreaterThan(8 * MIB), PATIENT)
  // A new device can have up to 100 services, so this response might be large.
  const change = 'mutation { registerDevice(name: "late") { device { services { id } } } }'
  const leaving = [await askLarge(another, 2), await askWithoutReading(another, { user: app.owner, query: change })]
  // After the server has looked up a document, it queues the response before it processes another event.
  await vi.waitFor(async () => expect(await documentsIn(another)).toBe(4), PATIENT)
  const next = another.as(app.owner).query(small)
  for (const socket of leaving) socket.destroy()

  expect((await next).status).toBe(200)
  expect(await queuedIn(another)).toBeGreaterThan(8 * MIB)
  await vi.waitFor(async () => expect(await metricsOf(another)).toContain('muster_requests_under_way 1\n'), PATIENT)
  const devices = await app.db.selectFrom('device').select('name').where('name', '=', 'late').execute()
  expect(devices).toEqual([])
  const left = () => lines.filter(({ msg, code }) => msg === 'request' && code === 'GONE')
  await vi.waitFor(
    () =>
      expect(left().map(({ operation, status }) => [operation, status])).toEqual(
        expect.arrayContaining([
          ['login', 0],
          ['registerDevice', 0],
        ]),
      ),
    PATIENT,
  )
  // On a slow machine, the server may briefly lose its connection for notifications.
  const isWarning = ({ level, msg }: Record<string, unknown>): boolean =>
    Number(level) >= 40 && !String(msg).startsWith('cannot receive notifications')
  expect(lines.filter(isWarning)).toEqual([])
})

/** Waits until the server has produced a large response and closed the connection of the client that does not read. */
async function untilClosed(server: TestApp): Promise<void> {
  await vi.waitFor(async () => {
    const metrics = await metricsOf(server)
    expect(metrics).toMatch(/muster_documents_total\{.*\} 1\n/)
    expect(metrics).toContain('muster_requests_under_way 0\n')
    expect(metrics).toContain('muster_queued_response_bytes 0\n')
  }, PATIENT)
}

test('closes a connection whose client reads nothing', async () => {
  const another = await app.startAnother({ env: { MUSTER_READ_TIMEOUT: '1' } })
  onTestFinished(() => another.close())
  await askLarge(another)
  await untilClosed(another)
})

test('closes a TLS connection whose client reads nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unread-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { cert, key } = await createCertificate(folder, 'server')
  const tls = { MUSTER_TLS_CERT: cert, MUSTER_TLS_KEY: key, MUSTER_METRICS_TOKEN: '0123456789abcdef' }
  const another = await app.startAnother({ env: { ...tls, MUSTER_READ_TIMEOUT: '2' } })
  onTestFinished(() => another.close())
  await askLarge(another)
  await untilClosed(another)
})

test('starts a waiting response even if a change that began before other responses ends meanwhile', async () => {
  const another = await app.startAnother({ env: { MUSTER_QUEUED_BYTES_PER_USER: String(20 * MIB) } })
  onTestFinished(() => another.close())
  const user = another.as(app.owner)
  const id = await register(app.owner, 'locked')
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  onTestFinished(() => released.resolve())
  const transaction = app.db.transaction().execute(async (db) => {
    await db.selectFrom('device').select('id').where('id', '=', id).forUpdate().execute()
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const change = user.query('mutation ($id: String!) { setAttribute(serviceId: $id, name: "n", value: "1") }', { id })
  await vi.waitFor(async () => expect(await documentsIn(another)).toBe(1), PATIENT)
  expect((await user.query(small)).status).toBe(200)
  const unread = await askLarge(another)
  await vi.waitFor(async () => expect(await queuedIn(another)).toBeGreaterThan(8 * MIB), PATIENT)
  const waiting = user.query(large)
  await vi.waitFor(async () => expect(await documentsIn(another)).toBe(4), PATIENT)
  released.resolve()
  await transaction
  expect((await change).status).toBe(200)

  unread.destroy()
  expect((await waiting).status).toBe(200)
})
