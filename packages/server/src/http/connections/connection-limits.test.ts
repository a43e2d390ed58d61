import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { connectMqtt, registerDevice } from '../../../test/clients/mqtt-device.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../../../test/harness/app.ts'
import { createCertificate } from '../../../test/harness/certificate.ts'

const PATIENT = { timeout: 60_000 }
const TOKEN = '0123456789abcdef'
const limited = { MUSTER_HTTP_CONNECTIONS_PER_ADDRESS: '3', MUSTER_METRICS_TOKEN: TOKEN }

let app: TestApp
let folder: string
let tls: Record<string, string>
beforeAll(async () => {
  app = await startTestApp()
  folder = await mkdtemp(join(tmpdir(), 'connections-'))
  const { cert, key } = await createCertificate(folder, 'server')
  tls = { MUSTER_TLS_CERT: cert, MUSTER_TLS_KEY: key }
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

async function start(options: TestAppOptions): Promise<TestApp> {
  const another = await app.startAnother(options)
  onTestFinished(() => another.close())
  return another
}

const portOf = ({ url }: TestApp): number => Number(new URL(url).port)

/** Opens a connection, with TLS if the server uses TLS. The connection is closed at the end of the test. */
function open(server: TestApp): Socket {
  if (!server.url.startsWith('https')) return openPlain(server)
  return closeAtEnd(connectTls({ host: '127.0.0.1', port: portOf(server), rejectUnauthorized: false }))
}

const openPlain = (server: TestApp): Socket => closeAtEnd(connect({ host: '127.0.0.1', port: portOf(server) }))

function closeAtEnd(socket: Socket): Socket {
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  return socket
}

/** Requests `/healthz`. Returns the status code of the response, or `closed` if the server closes the connection. */
function ask(socket: Socket): Promise<string> {
  socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
  return new Promise((resolve) => {
    socket.once('close', () => resolve('closed'))
    socket.once('data', (data) => resolve(String(data).split(' ')[1]!))
  })
}

async function openSome(server: TestApp, count: number): Promise<{ sockets: Socket[]; outcomes: string[] }> {
  const sockets: Socket[] = []
  const outcomes: string[] = []
  for (let each = 0; each < count; each++) {
    const socket = open(server)
    sockets.push(socket)
    outcomes.push(await ask(socket))
  }
  return { sockets, outcomes }
}

async function metricsOn(server: TestApp): Promise<string> {
  const socket = open(server)
  socket.write(`GET /metrics HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\nconnection: close\r\n\r\n`)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

test.each(['HTTP', 'HTTPS'])('closes %s connections above the limit of an address', async (protocol) => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const server = await start({ env: { ...limited, ...(protocol === 'HTTPS' && tls) }, log })
  const { sockets, outcomes } = await openSome(server, 5)
  expect(outcomes).toEqual(['200', '200', '200', 'closed', 'closed'])
  const logged = lines.map((line) => JSON.parse(line)).filter(({ reason }) => reason !== undefined)
  expect(logged).toMatchObject([{ reason: 'MUSTER_HTTP_CONNECTIONS_PER_ADDRESS', address: '127.0.0.1' }])

  for (const socket of sockets) socket.destroy()
  await vi.waitFor(async () => expect(await metricsOn(server)).toMatch(/^muster_http_connections 1$/m), PATIENT)
  expect(await metricsOn(server)).toMatch(
    /^muster_http_connections_rejected_total\{limit="address"\} (?:[2-9]|\d{2,})$/m,
  )
  expect((await openSome(server, 3)).outcomes).toEqual(['200', '200', '200'])
})

test('counts a connection before its TLS handshake', async () => {
  const server = await start({ env: { ...limited, ...tls } })
  const idle = Array.from({ length: 3 }, () => openPlain(server))
  await Promise.all(idle.map((socket) => once(socket, 'connect')))
  expect((await openSome(server, 1)).outcomes).toEqual(['closed'])
})

test('applies only the total limit to connections from trusted proxies', async () => {
  const env = { ...limited, MUSTER_HTTP_CONNECTIONS: '5', MUSTER_TRUSTED_PROXIES: '127.0.0.1' }
  const { outcomes } = await openSome(await start({ env }), 7)
  expect(outcomes).toEqual([...Array(5).fill('200'), 'closed', 'closed'])
})

test.each(['ws', 'wss'])('does not count WebSockets of devices: %s', async (scheme) => {
  const server = await start({ mqtt: true, env: { ...limited, ...(scheme === 'wss' && tls) } })
  const url = `${scheme}://${new URL(server.url).host}/mqtt`
  for (let each = 0; each < 5; each++) {
    await connectMqtt(url, await registerDevice(app.owner), { rejectUnauthorized: false })
  }
  expect(await metricsOn(server)).toMatch(/^muster_http_connections 1$/m)
  expect((await openSome(server, 4)).outcomes).toEqual(['200', '200', '200', 'closed'])
})

test('closes a connection when it rejects the upgrade to a WebSocket', async () => {
  const server = await start({ mqtt: true, env: limited })
  const socket = open(server)
  socket.write('GET /elsewhere HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
  const [data] = await once(socket, 'data')
  expect(String(data)).toMatch(/^HTTP\/1\.1 404 /)
  await vi.waitFor(async () => expect(await metricsOn(server)).toMatch(/^muster_http_connections 1$/m), PATIENT)
})
