import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { registerDevice, signOn } from '../../test/mqtt-device.ts'
import { failToStart } from '../../test/server-process.ts'

let folder: string
/** File names of a self-signed certificate and its key, and of a key that is not its own. */
let cert: string
let key: string
let otherKey: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-tls-'))
  cert = join(folder, 'cert.pem')
  key = join(folder, 'key.pem')
  otherKey = join(folder, 'other.pem')
  await makeCertificate(cert, otherKey)
  await makeCertificate(cert, key)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function makeCertificate(certFile: string, keyFile: string): Promise<void> {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', '/CN=muster.test', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...subject, '-out', certFile, '-keyout', keyFile])
}

async function startWithTls(): Promise<{ app: TestApp; ca: Buffer }> {
  const env = { MUSTER_MQTT_TLS_CERT: cert, MUSTER_MQTT_TLS_KEY: key }
  const app = await startTestApp({ mqtt: true, env })
  onTestFinished(() => app.close())
  return { app, ca: await readFile(cert) }
}

test('a device that trusts the certificate signs on over TLS, and what it publishes is kept', async () => {
  const { app, ca } = await startWithTls()
  const device = await registerDevice(app.owner)
  const client = await signOn(`mqtts://127.0.0.1:${app.mqttPort}`, device, { ca })
  await client.publishAsync(`devices/${device.id}/attributes`, '{"site":"oslo"}', { qos: 1 })
  await vi.waitFor(
    async () => {
      const { login } = await app.owner.data(`{ login { device(id: ["${device.id}"]) { state attributes } } }`)
      expect(login.device).toEqual([{ state: 'active', attributes: { site: 'oslo' } }])
    },
    { timeout: 10_000 },
  )
})

test('the port speaks TLS alone, and goes on after somebody who does not or who trusts it not', async () => {
  const { app, ca } = await startWithTls()
  const device = await registerDevice(app.owner)
  const url = `mqtts://127.0.0.1:${app.mqttPort}`
  await expect(signOn(url.replace('mqtts', 'mqtt'), device)).rejects.toThrow()
  await expect(signOn(url, device)).rejects.toThrow(/self-signed/)
  await expect(signOn(url, { ...device, secret: 'wrong' }, { ca })).rejects.toThrow(/Bad username or password/)
  await signOn(url, device, { ca })
})

describe('a start ends, and names the setting', () => {
  const outcome = (settings: Record<string, string>) => failToStart({ MUSTER_DATA: join(folder, 'data'), ...settings })
  const cases: [what: string, settings: () => Record<string, string>, said: RegExp][] = [
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
    ['a key left away', () => ({ key: '' }), /MUSTER_MQTT_TLS_CERT and MUSTER_MQTT_TLS_KEY belong together/],
  ]
  test.each(cases)('for %s', async (_what, settings, said) => {
    const { cert: MUSTER_MQTT_TLS_CERT = '', key: MUSTER_MQTT_TLS_KEY = '' } = { cert, key, ...settings() }
    const { code, stderr } = await outcome({ MUSTER_MQTT_TLS_CERT, MUSTER_MQTT_TLS_KEY, MUSTER_LOG_LEVEL: 'silent' })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(said) })
    expect(stderr).not.toContain('    at ')
  })
})
