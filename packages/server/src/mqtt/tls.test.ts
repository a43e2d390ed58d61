import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connectMqtt, registerDevice } from '../../test/clients/mqtt-device.ts'
import { startTestApp, type TestApp } from '../../test/harness/app.ts'
import { createCertificate } from '../../test/harness/certificate.ts'

let folder: string
let app: TestApp
let ca: Buffer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-mqtt-tls-'))
  const { cert, key } = await createCertificate(folder, 'broker')
  ca = await readFile(cert)
  app = await startTestApp({ mqtt: true, env: { MUSTER_MQTT_TLS_CERT: cert, MUSTER_MQTT_TLS_KEY: key } })
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true, force: true })
})

test('accepts a device over TLS if the device trusts the certificate, and stores its publications', async () => {
  const device = await registerDevice(app.owner)
  const client = await connectMqtt(`mqtts://127.0.0.1:${app.mqttPort}`, device, { ca })
  await client.publishAsync(`devices/${device.id}/attributes`, '{"site":"oslo"}', { qos: 1 })
  await vi.waitFor(
    async () => {
      const { login } = await app.owner.data(`{ login { device(id: ["${device.id}"]) { state attributes } } }`)
      expect(login.device).toEqual([{ state: 'active', attributes: { site: 'oslo' } }])
    },
    { timeout: 60_000 },
  )
})

test('accepts only TLS on the port, and continues after failed connections', async () => {
  const device = await registerDevice(app.owner)
  const url = `mqtts://127.0.0.1:${app.mqttPort}`
  await expect(connectMqtt(url.replace('mqtts', 'mqtt'), device)).rejects.toThrow()
  await expect(connectMqtt(url, device)).rejects.toThrow(/self-signed/)
  await expect(connectMqtt(url, { ...device, secret: 'wrong' }, { ca })).rejects.toThrow(/Bad username or password/)
  await connectMqtt(url, device, { ca })
})
