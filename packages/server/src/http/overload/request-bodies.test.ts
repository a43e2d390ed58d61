import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/harness/app.ts'

const MIB = 1024 * 1024
const TOKEN = '0123456789abcdef'
const PATIENT = { timeout: 60_000 }

const app = sharedTestApp({ env: { MUSTER_BODY_BYTES_PER_ADDRESS: '3145728', MUSTER_METRICS_TOKEN: TOKEN } })

async function beginBody(server: TestApp, client?: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const forwarded = client === undefined ? '' : `x-forwarded-for: ${client}\r\n`
  socket.write(`POST /graphql/v1 HTTP/1.1\r\nhost: x\r\n${forwarded}content-length: 1048576\r\n\r\n`)
  return socket
}

/** Waits until the server has counted the announced body sizes of the sockets' requests, `bytes` in total. */
const untilCounted = (server: TestApp, bytes: number): Promise<void> =>
  vi.waitFor(async () => {
    expect(await readMetrics(server)).toMatch(new RegExp(`^muster_request_body_bytes ${bytes}$`, 'm'))
  }, PATIENT)

async function readMetrics(server: TestApp): Promise<string> {
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  return response.text()
}

async function post(server: TestApp, client?: string, bytes = 1_048_000): Promise<[status: number, body: string]> {
  const headers = client === undefined ? {} : { 'x-forwarded-for': client }
  const response = await fetch(`${server.url}/graphql/v1`, { method: 'POST', body: ' '.repeat(bytes), headers })
  return [response.status, await response.text()]
}

test('rejects large bodies and accepts small bodies from an address at its limit', async () => {
  expect((await post(app))[0]).not.toBe(429)
  const sockets = await Promise.all([beginBody(app), beginBody(app), beginBody(app)])
  await untilCounted(app, 3 * MIB)
  expect((await post(app))[0]).toBe(429)
  const rejected = await beginBody(app)
  const [response] = await once(rejected, 'data')
  expect(String(response)).toMatch(/^HTTP\/1\.1 429 .*retry-after: [123].*RATE_LIMITED/is)
  expect((await app.owner.query('{ login { id } }')).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  await vi.waitFor(async () => expect((await post(app))[0]).not.toBe(429), PATIENT)
})

test('gives each address a fair share when all bodies together reach the limit', async () => {
  const env = { MUSTER_BODY_BYTES: String(4 * MIB), MUSTER_TRUSTED_PROXIES: '127.0.0.1', MUSTER_METRICS_TOKEN: TOKEN }
  const server = await app.startAnother({ env })
  onTestFinished(() => server.close())
  for (let each = 0; each < 4; each++) await beginBody(server, '203.0.113.1')
  await untilCounted(server, 4 * MIB)
  const [status, body] = await post(server, '203.0.113.1')
  expect([status, body]).toEqual([503, expect.stringMatching(/too many large request bodies.*UNAVAILABLE/)])
  // A second address can send up to half of the limit.
  expect((await post(server, '203.0.113.2'))[0]).not.toBe(503)
  const second = await Promise.all([beginBody(server, '203.0.113.2'), beginBody(server, '203.0.113.2')])
  await untilCounted(server, 6 * MIB)
  expect((await post(server, '203.0.113.2'))[0]).toBe(503)
  expect((await post(server, '203.0.113.2', 10_000))[0]).not.toBe(503)
  expect((await post(server, '203.0.113.3'))[0]).not.toBe(503)
  for (const socket of second) socket.destroy()
  await vi.waitFor(async () => expect((await post(server, '203.0.113.2'))[0]).not.toBe(503), PATIENT)
  expect(await readMetrics(server)).toMatch(/^muster_request_bodies_rejected_total\{limit="total"\} \d+$/m)
})

test('rejects a compressed body with 415 in every API', async () => {
  for (const path of ['/graphql/v1', '/rest/v1/devices', '/devices/v1/report', '/auth/sign-in']) {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const rejected = await fetch(`${app.url}${path}`, { method: 'POST', body: 'x', headers })
    expect([path, rejected.status]).toEqual([path, 415])
    expect(await rejected.text()).toContain('omit Content-Encoding')
  }
  const counted = 'muster_requests_total{operation="POST /devices/v1/report",status="415",code="BAD_USER_INPUT"} 1'
  await vi.waitFor(async () => expect(await readMetrics(app)).toContain(counted), PATIENT)
})
