import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectMqtt } from '../../test/clients/mqtt-device.ts'
import { createTestDatabase } from '../../test/database/test-database.ts'
import { readCredentials, sendAs, startServerProcess } from '../../test/harness/server-process.ts'

test('a server whose port for MQTT is taken starts, says so, and takes devices at /mqtt', async () => {
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
  const said = () => {
    const lines = server.stderr().split('\n').slice(0, -1)
    return lines.filter((line) => line.includes('MQTT is not served')).map((line) => JSON.parse(line))
  }
  // What it says on one pipe may be read after what it says on the other.
  await expect.poll(said).toMatchObject([
    {
      level: 50,
      msg: `MQTT is not served on port ${port} of 127.0.0.1: it is taken. Stop what listens there, or set MUSTER_MQTT_PORT to another port (0 for none). The WebSocket at /mqtt is served.`,
    },
  ])

  const register = 'mutation { registerDevice(name: "gateway") { device { id } secret } }'
  const { body } = await sendAs(await readCredentials(folder), server.url, register)
  const { device, secret } = body.data.registerDevice
  const client = await connectMqtt(`${server.url.replace('http', 'ws')}/mqtt`, { id: device.id, secret })
  expect(client.connected).toBe(true)
  expect(await server.stop()).toBe(0)
})
