import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectMqtt } from '../../test/clients/mqtt-device.ts'
import { createTestDatabase } from '../../test/database/test-database.ts'
import { readCredentials, sendAs, startServerProcess } from '../../test/harness/server-process.ts'

test('starts if the MQTT port is in use, logs an error, and accepts devices at /mqtt', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-taken-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const database = await createTestDatabase()
  onTestFinished(database.drop)
  const other = createServer()
  await once(other.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo

  const server = await startServerProcess({
    DATABASE_URL: database.url,
    MUSTER_DATA: folder,
    MUSTER_MQTT_PORT: String(port),
  })
  const errors = () => {
    const lines = server.stderr().split('\n').slice(0, -1)
    return lines.filter((line) => line.includes('MQTT is not served')).map((line) => JSON.parse(line))
  }
  // stderr and stdout are separate pipes, so their output can arrive in any order.
  await expect.poll(errors).toMatchObject([
    {
      level: 50,
      msg: `MQTT is not served on port ${port} of 127.0.0.1: the port is in use. Stop the process that listens on it, or set MUSTER_MQTT_PORT to another port (0 for none), and restart the server. MQTT over WebSocket at /mqtt still works.`,
    },
  ])

  const register = 'mutation { registerDevice(name: "gateway") { device { id } secret } }'
  const { body } = await sendAs(await readCredentials(folder), server.url, register)
  const { device, secret } = body.data.registerDevice
  const client = await connectMqtt(`${server.url.replace('http', 'ws')}/mqtt`, { id: device.id, secret })
  expect(client.connected).toBe(true)
  expect(await server.stop()).toBe(0)
})
