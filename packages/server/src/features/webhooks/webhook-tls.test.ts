import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase } from '../../../test/database/test-database.ts'
import { startTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'
import { readCredentials, sendAs, startServerProcess } from '../../../test/harness/server-process.ts'

let folder: string
let app: TestApp
/** The test restores these authorities for later test files. */
let defaultAuthorities: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-webhook-tls-'))
  await makeCertificate('ca', '/CN=an authority', ['-addext', 'keyUsage=keyCertSign'])
  await makeCertificate('stranger', '/CN=another authority', ['-addext', 'keyUsage=keyCertSign'])
  defaultAuthorities = getCACertificates('default')
  setDefaultCACertificates([...defaultAuthorities, await readFile(join(folder, 'ca.pem'), 'utf8')])
  app = await startTestApp({
    worker: true,
    env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.1', MUSTER_WEBHOOK_RETRIES: '3600' },
    resolve: async () => ['127.0.0.1'],
  })
})
afterAll(async () => {
  setDefaultCACertificates(defaultAuthorities)
  await app.close()
  await rm(folder, { recursive: true, force: true })
})

async function makeCertificate(name: string, subject: string, more: string[]): Promise<void> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const files = ['-out', join(folder, `${name}.pem`), '-keyout', join(folder, `${name}.key`)]
  await promisify(execFile)('openssl', ['req', '-x509', ...key, '-subj', subject, ...more, ...files])
}

interface TlsReceiver {
  port: number
  /** For each request, the connection's server name and address, and the Host header. */
  requests: { serverName: unknown; host: string | undefined; address: string | undefined }[]
}

async function startTlsReceiver(name: string, authority: 'ca' | 'stranger'): Promise<TlsReceiver> {
  const file = randomBytes(8).toString('hex')
  const signed = ['-CA', join(folder, `${authority}.pem`), '-CAkey', join(folder, `${authority}.key`)]
  await makeCertificate(file, '/CN=a receiver', [...signed, '-addext', `subjectAltName=DNS:${name}`])
  const [cert, key] = await Promise.all([readFile(join(folder, `${file}.pem`)), readFile(join(folder, `${file}.key`))])
  const requests: TlsReceiver['requests'] = []
  const server = createServer({ cert, key }, ({ socket, headers }, response) => {
    const { servername: serverName, localAddress: address } = socket as TLSSocket & { servername?: unknown }
    requests.push({ serverName, host: headers.host, address })
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, requests }
}

type Send = (document: string) => Promise<{ login: { webhooks: { deliveries: { items: object[] } }[] } }>

/** Creates a webhook and an event. Returns the delivery after its first attempt. */
async function deliver(send: Send, url: string): Promise<object> {
  await send(`mutation { createWebhook(url: "${url}", events: [DEVICE_REGISTER]) { id } }`)
  await send('mutation { registerDevice(name: "boiler") { device { id } } }')
  return vi.waitFor(
    async () => {
      const { login } = await send('{ login { webhooks { deliveries { items { status attempts error } } } } }')
      const [delivery] = login.webhooks[0]!.deliveries.items
      expect(delivery).toMatchObject({ attempts: 1 })
      return delivery!
    },
    { timeout: 60_000, interval: 50 },
  )
}

const sender =
  (user: TestUser): Send =>
  (document) =>
    user.data(document)

describe('a webhook receiver over TLS', () => {
  test('receives a request for its name at the address that was checked', async () => {
    const { port, requests } = await startTlsReceiver('hooks.example.com', 'ca')
    const url = `https://hooks.example.com:${port}/in`
    expect(await deliver(sender(await app.createUser()), url)).toEqual({
      status: 'delivered',
      attempts: 1,
      error: null,
    })
    expect(requests).toEqual([
      { serverName: 'hooks.example.com', host: `hooks.example.com:${port}`, address: '127.0.0.1' },
    ])
  })

  test.each([
    ['from an untrusted authority', 'hooks.example.com', 'stranger', /^the TLS connection failed: unable to/],
    [
      'for another name',
      'other.example.com',
      'ca',
      /^the TLS connection failed: .*hooks\.example\.com\. is not in the cert/,
    ],
  ] as const)(
    'with a certificate %s receives no request, and the delivery reports an error',
    async (_name, name, authority, error) => {
      const { port, requests } = await startTlsReceiver(name, authority)
      const url = `https://hooks.example.com:${port}/in`
      expect(await deliver(sender(await app.createUser()), url)).toEqual({
        status: 'pending',
        attempts: 1,
        error: expect.stringMatching(error),
      })
      expect(requests).toEqual([])
    },
  )

  test('receives no request if it does not support TLS', async () => {
    const url = app.url.replace('http://127.0.0.1', 'https://hooks.example.com')
    expect(await deliver(sender(await app.createUser()), url)).toMatchObject({
      status: 'pending',
      error: expect.stringMatching(/^the TLS connection failed: /),
    })
  })

  test('is trusted with a certificate from a private authority that NODE_EXTRA_CA_CERTS lists', async () => {
    const { url, drop } = await createTestDatabase()
    onTestFinished(drop)
    const data = await mkdtemp(join(folder, 'data-'))
    const server = await startServerProcess({
      DATABASE_URL: url,
      MUSTER_DATA: data,
      MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
      MUSTER_WEBHOOK_ALLOW: '127.0.0.1,::1',
      NODE_EXTRA_CA_CERTS: join(folder, 'stranger.pem'),
    })
    const credentials = await readCredentials(data)
    const send: Send = async (document) => (await sendAs(credentials, server.url, document)).body.data
    const receiver = await startTlsReceiver('localhost', 'stranger')
    expect(await deliver(send, `https://localhost:${receiver.port}/in`)).toMatchObject({ status: 'delivered' })
    expect(receiver.requests).toMatchObject([{ serverName: 'localhost' }])
  })
})
