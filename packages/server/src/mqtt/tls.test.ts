import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { createTestDatabase } from '../../test/database.ts'
import { registerDevice, signOn } from '../../test/mqtt-device.ts'
import { failToStart } from '../../test/server-process.ts'
import { readCertificate } from './tcp.ts'

let folder: string
/** File names of a self-signed certificate and its key, and of a key that is not its own. */
let cert: string
let key: string
let otherKey: string
/** A server with the first two. */
let app: TestApp
let ca: Buffer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-tls-'))
  cert = join(folder, 'cert.pem')
  key = join(folder, 'key.pem')
  otherKey = join(folder, 'other.pem')
  await makeCertificate(cert, otherKey)
  await makeCertificate(cert, key)
  ca = await readFile(cert)
  app = await startTestApp({ mqtt: true, env: { MUSTER_MQTT_TLS_CERT: cert, MUSTER_MQTT_TLS_KEY: key } })
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true, force: true })
})

async function makeCertificate(certFile: string, keyFile: string): Promise<void> {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', '/CN=muster.test', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...subject, '-out', certFile, '-keyout', keyFile])
}

test('a device that trusts the certificate signs on over TLS, and what it publishes is kept', async () => {
  const device = await registerDevice(app.owner)
  const client = await signOn(`mqtts://127.0.0.1:${app.mqttPort}`, device, { ca })
  await client.publishAsync(`devices/${device.id}/attributes`, '{"site":"oslo"}', { qos: 1 })
  await vi.waitFor(
    async () => {
      const { login } = await app.owner.data(`{ login { device(id: ["${device.id}"]) { state attributes } } }`)
      expect(login.device).toEqual([{ state: 'active', attributes: { site: 'oslo' } }])
    },
    { timeout: 60_000 },
  )
})

test('the port speaks TLS alone, and goes on after somebody who does not or who trusts it not', async () => {
  const device = await registerDevice(app.owner)
  const url = `mqtts://127.0.0.1:${app.mqttPort}`
  await expect(signOn(url.replace('mqtts', 'mqtt'), device)).rejects.toThrow()
  await expect(signOn(url, device)).rejects.toThrow(/self-signed/)
  await expect(signOn(url, { ...device, secret: 'wrong' }, { ca })).rejects.toThrow(/Bad username or password/)
  await signOn(url, device, { ca })
})

describe('of what it cannot be served with the setting is named', () => {
  const cases: [what: string, settings: () => { cert?: string; key?: string }, said: RegExp][] = [
    [
      'a missing certificate',
      () => ({ cert: `${cert}.not` }),
      /^MUSTER_MQTT_TLS_CERT cannot be read: ENOENT.*cert.pem.not/,
    ],
    ['a missing key', () => ({ key: `${key}.not` }), /^MUSTER_MQTT_TLS_KEY cannot be read: ENOENT.*key.pem.not/],
    ['an unreadable key', () => ({ key: folder }), /^MUSTER_MQTT_TLS_KEY cannot be read: EISDIR/],
    [
      'a file that is no certificate',
      () => ({ cert: key }),
      /^MUSTER_MQTT_TLS_CERT names no certificate as PEM: .*key.pem/,
    ],
    ['a key of another certificate', () => ({ key: otherKey }), /^MUSTER_MQTT_TLS_KEY does not name the .*other.pem/],
  ]
  test.each(cases)('%s', async (_what, settings, said) => {
    await expect(readCertificate({ cert, key, ...settings() })).rejects.toThrow(said)
  })

  test('a key left away: the server does not start', async () => {
    const { url, drop } = await createTestDatabase()
    onTestFinished(drop)
    const env = { DATABASE_URL: url, MUSTER_DATA: join(folder, 'data'), MUSTER_MQTT_TLS_CERT: cert }
    const { code, stderr } = await failToStart({ ...env, MUSTER_LOG_LEVEL: 'silent' })
    const said = 'MUSTER_MQTT_TLS_CERT and MUSTER_MQTT_TLS_KEY belong together: set both or neither.\n'
    expect({ code, stderr }).toEqual({ code: 1, stderr: said })
  })
})
