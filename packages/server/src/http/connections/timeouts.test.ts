import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness/app.ts'
import { createCertificate } from '../../../test/harness/certificate.ts'

const timeouts = { MUSTER_REQUEST_TIMEOUT: '2', MUSTER_KEEP_ALIVE_TIMEOUT: '1' }
const body = 'POST /graphql/v1 HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{'

let folder: string
let app: TestApp
let secure: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: timeouts })
  folder = await mkdtemp(join(tmpdir(), 'timeouts-'))
  const { cert, key } = await createCertificate(folder, 'server')
  secure = await app.startAnother({ env: { ...timeouts, MUSTER_TLS_CERT: cert, MUSTER_TLS_KEY: key } })
})
afterAll(async () => {
  await secure.close()
  await app.close()
  await rm(folder, { recursive: true })
})

function open({ url }: TestApp): Socket {
  const { hostname: host, port, protocol } = new URL(url)
  const to = { host, port: Number(port), rejectUnauthorized: false }
  const socket = protocol === 'https:' ? connectTls(to) : connect(to)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Returns everything that the server sends before it closes the connection. */
async function receive(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const cases: [what: string, sent: string][] = [
  ['sends nothing', ''],
  ['sends incomplete headers', 'GET /healthz HTTP/1.1\r\nhost: x\r\n'],
  ['does not finish a body', body],
]

test.each(cases)('closes a connection that %s', async (_what, sent) => {
  for (const server of [app, secure]) {
    const socket = open(server)
    if (sent !== '') socket.write(sent)
    expect(await receive(socket)).toMatch(/^HTTP\/1\.1 408 .*"the request did not arrive in time: /s)
  }
})

test('rejects a request whose body arrives slowly in small pieces', async () => {
  const socket = open(app)
  socket.write(body)
  const timer = setInterval(() => socket.write(' '), 100)
  onTestFinished(() => clearInterval(timer))
  socket.on('error', () => {})
  const [response] = await once(socket, 'data')
  expect(String(response)).toMatch(/^HTTP\/1\.1 408 /)
})

test('closes an idle connection after the keep-alive timeout', async () => {
  for (const server of [app, secure]) {
    // On a slow machine, connecting may take longer than the request timeout, so the test retries.
    const received = await vi.waitFor(
      async () => {
        const socket = open(server)
        socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
        const text = await receive(socket)
        expect(text).toMatch(/^HTTP\/1\.1 200 .*keep-alive: timeout=1\r\n/is)
        return text
      },
      { timeout: 60_000 },
    )
    expect(received).not.toContain(' 408 ')
  }
})
