import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newPerson, openBrowser } from '../../test/clients/browser.ts'
import { connectMqtt, nextEvent, registerDevice } from '../../test/clients/mqtt-device.ts'
import { createTestDatabase } from '../../test/database/test-database.ts'
import { startTestApp, type TestApp } from '../../test/harness/app.ts'
import { type CertificatePaths, createCertificate, replaceFile } from '../../test/harness/certificate.ts'
import { failToStart, readCredentials, sendAs, startServerProcess } from '../../test/harness/server-process.ts'
import { readCertificate } from './certificate.ts'
import { serveCertificate } from './certificate-watch.ts'

let folder: string
let first: CertificatePaths
let second: CertificatePaths
const trusted = getCACertificates('default')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-tls-'))
  first = await createCertificate(folder, 'first')
  second = await createCertificate(folder, 'second')
  setDefaultCACertificates([...trusted, ...(await Promise.all([first, second].map(({ cert }) => readText(cert))))])
})
afterAll(async () => {
  setDefaultCACertificates(trusted)
  await rm(folder, { recursive: true, force: true })
})

const readText = (file: string): Promise<string> => readFile(file, 'utf8')

async function copyFiles(name: string): Promise<CertificatePaths> {
  const paths = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}-key.pem`) }
  await Promise.all([cp(first.cert, paths.cert), cp(first.key, paths.key)])
  return paths
}

const httpSettings = ({ cert, key }: CertificatePaths) => ({ MUSTER_TLS_CERT: cert, MUSTER_TLS_KEY: key })
const mqttSettings = ({ cert, key }: CertificatePaths) => ({ MUSTER_MQTT_TLS_CERT: cert, MUSTER_MQTT_TLS_KEY: key })

async function fingerprintAt(port: number): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'secureConnect')
    return socket.getPeerX509Certificate()?.fingerprint256
  } finally {
    socket.destroy()
  }
}

const fingerprintOf = async ({ cert }: CertificatePaths): Promise<string> =>
  new X509Certificate(await readFile(cert)).fingerprint256

describe('a server with a TLS certificate', () => {
  let app: TestApp
  let files: CertificatePaths
  beforeAll(async () => {
    files = await copyFiles('files')
    app = await startTestApp({ mqtt: true, env: { ...httpSettings(files), ...mqttSettings(files) } })
  })
  afterAll(() => app.close())

  test('accepts requests signed for its https URL, and instructs browsers to use HTTPS', async () => {
    expect(app.url).toMatch(/^https:/)
    const { status, data, headers } = await app.owner.query('{ login { email } }')
    expect([status, data]).toEqual([200, { login: { email: app.owner.email } }])
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
  })

  test('sets a cookie that browsers send only over HTTPS, and accepts the cookie', async () => {
    const person = await newPerson(app)
    const browser = openBrowser(app)
    const { setCookies } = await browser.auth('/sign-in/email', { email: person.email, password: person.password })
    expect(setCookies).toEqual([
      expect.stringMatching(/^__Host-muster\.session_token=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
      expect.stringMatching(/^__Secure-muster\.session_token=.*; Secure; SameSite=Strict$/),
    ])
    const { body } = await browser.query('{ login { email } }')
    expect(body).toEqual({ data: { login: { email: person.email } } })
  })

  test('reports the remaining validity of its certificates', async () => {
    const text = await (await fetch(`${app.url}/metrics`)).text()
    const ports = Array.from(text.matchAll(/^muster_certificate_seconds\{port="(\w+)"\} (\d+)$/gm), ([, port]) => port)
    expect(ports).toEqual(['http', 'mqtt'])
  })

  test('accepts WebSockets of devices over TLS', async () => {
    const device = await registerDevice(app.owner)
    const client = await connectMqtt(`${app.url.replace('https:', 'wss:')}/mqtt`, device)
    await client.publishAsync(`devices/${device.id}/attributes`, '{"site":"oslo"}', { qos: 1 })
  })

  test('does not respond to plain HTTP on its port, and continues to serve HTTPS', async () => {
    const plain = createConnection({ host: '127.0.0.1', port: Number(new URL(app.url).port) })
    plain.on('error', () => {})
    plain.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    let received = ''
    plain.on('data', (chunk) => (received += chunk))
    await once(plain, 'close')
    expect(received).not.toContain('HTTP')
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
  })

  test('presents a renewed certificate on new connections, and keeps existing connections open', async () => {
    const port = Number(new URL(app.url).port)
    const ports = [port, app.mqttPort]
    const presented = () => Promise.all(ports.map(fingerprintAt))
    const [before, after] = [await fingerprintOf(first), await fingerprintOf(second)]
    expect(await presented()).toEqual([before, before])
    const device = await registerDevice(app.owner)
    const client = await connectMqtt(`mqtts://127.0.0.1:${app.mqttPort}`, device)
    let isOpen = true
    void nextEvent(client, 'close').then(() => {
      isOpen = false
    })

    await replaceFile(files.cert, second.cert)
    await replaceFile(files.key, second.key)
    await vi.waitFor(async () => expect(await presented()).toEqual([after, after]), { timeout: 100_000, interval: 250 })
    await client.publishAsync(`devices/${device.id}/attributes`, '{"site":"oslo"}', { qos: 1 })
    expect(isOpen).toBe(true)
    expect((await app.owner.query('{ version }')).status).toBe(200)
  })
})

test('reports https URLs, and reloads its certificate files on SIGHUP', async () => {
  const { url: DATABASE_URL, drop } = await createTestDatabase()
  onTestFinished(drop)
  const [data, files] = [join(folder, 'process'), await copyFiles('process')]
  const server = await startServerProcess({ DATABASE_URL, MUSTER_DATA: data, ...httpSettings(files) })
  const port = Number(new URL(server.url).port)
  const credentials = await readCredentials(data)
  expect(server.url).toBe(`https://127.0.0.1:${port}`)
  expect(credentials.MUSTER_URL).toBe(server.url)
  expect(server.stdout()).toContain(`Console      ${server.url}/\n`)
  expect((await sendAs(credentials, server.url, '{ login { email } }')).status).toBe(200)

  const rejections = (): number => server.stderr().split('cannot load the certificate files').length - 1
  await replaceFile(files.cert, second.cert)
  await vi.waitFor(() => expect(rejections()).toBe(1), { timeout: 100_000, interval: 100 })
  expect(server.stderr()).toContain("MUSTER_TLS_KEY is not the certificate's private key")
  // The server logs the same error only once, but again after SIGHUP.
  server.signal('SIGHUP')
  await vi.waitFor(() => expect(rejections()).toBe(2), { timeout: 100_000, interval: 100 })
  expect(await fingerprintAt(port)).toBe(await fingerprintOf(first))

  await replaceFile(files.key, second.key)
  server.signal('SIGHUP')
  await vi.waitFor(() => expect(server.stderr()).toContain('a new certificate is in use'), { timeout: 100_000 })
  expect(await fingerprintAt(port)).toBe(await fingerprintOf(second))
  expect(await server.stop()).toBe(0)
})

test('logs a warning when a certificate expires, and once a day in the week before and afterward', async () => {
  const paths = await copyFiles('ending')
  const files = { cert: { setting: 'CERT', file: paths.cert }, key: { setting: 'KEY', file: paths.key } }
  const { until } = await readCertificate(files)
  const inDays = (days: number): Date => new Date(until.getTime() + days * 86_400_000)
  let now = inDays(-8)
  const lines: { level: number; msg: string }[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const certificate = await serveCertificate(files, log, () => now)
  onTestFinished(() => certificate.close())
  const warningsAt = async (days: number): Promise<string[]> => {
    now = inDays(days)
    await certificate.reload()
    return lines.splice(0).flatMap(({ level, msg }) => (level === 40 ? [msg] : []))
  }
  const soon = 'the certificate will expire soon: renew it'
  const over = 'the certificate has expired: renew it'
  const expected: [days: number, string[]][] = [
    [-7.5, []],
    [-7, [soon]],
    [-6.5, []],
    [-6, [soon]],
    [-0.5, [soon]],
    [0, [over]],
    [0.5, []],
    [1, [over]],
  ]
  for (const [days, warnings] of expected) expect([days, await warningsAt(days)]).toEqual([days, warnings])

  await replaceFile(paths.cert, second.cert)
  await replaceFile(paths.key, second.key)
  expect(await warningsAt(1.25)).toEqual([over])
})

describe('invalid certificate files', () => {
  const cases: [what: string, files: () => Partial<CertificatePaths>, message: RegExp][] = [
    [
      'a missing certificate',
      () => ({ cert: `${first.cert}.not` }),
      /^The file in CERT cannot be read: ENOENT.*first\.pem\.not/,
    ],
    [
      'a missing key',
      () => ({ key: `${first.key}.not` }),
      /^The file in KEY cannot be read: ENOENT.*first-key\.pem\.not/,
    ],
    ['an unreadable key', () => ({ key: folder }), /^The file in KEY cannot be read: EISDIR/],
    [
      'a file that is not a certificate',
      () => ({ cert: first.key }),
      /^The file in CERT is not a certificate in PEM format: .*first-key\.pem/,
    ],
    [
      'a key of another certificate',
      () => ({ key: second.key }),
      /^The file in KEY is not the certificate's private key .*second-key\.pem/,
    ],
  ]
  test.each(cases)('are reported with the name of the setting: %s', async (_what, files, message) => {
    const { cert, key } = { ...first, ...files() }
    const named = { cert: { setting: 'CERT', file: cert }, key: { setting: 'KEY', file: key } }
    await expect(readCertificate(named)).rejects.toThrow(message)
  })

  test('prevent the start if only one of the two settings is present', async () => {
    const env = { MUSTER_DATA: join(folder, 'none'), MUSTER_TLS_KEY: first.key, MUSTER_LOG_LEVEL: 'silent' }
    const { code, stderr } = await failToStart(env)
    const message = 'Set both MUSTER_TLS_CERT and MUSTER_TLS_KEY, or neither.\n'
    expect({ code, stderr }).toEqual({ code: 1, stderr: message })
  })
})
