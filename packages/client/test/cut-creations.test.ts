import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../server/test/database/test-database.ts'
import { claimPorts } from '../../server/test/harness/ports.ts'
import { readCredentials, startServerProcess } from '../../server/test/harness/server-process.ts'
import { Muster } from '../src/index.ts'
import { startCuttingProxy } from './cutting-proxy.ts'

const CREATIONS = 100
/** Number of concurrent requests that each cut interrupts. */
const BATCH_SIZE = 5
/** In every fifth batch, the test kills the server instead of cutting the connections. */
const KILL_EVERY = 5

it('creates each device once when 100 requests are interrupted and retried', { timeout: 600_000 }, async () => {
  const database = await createTestDatabase()
  onTestFinished(database.drop)
  const folder = await mkdtemp(join(tmpdir(), 'muster-cut-creations-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [port] = await claimPorts(1)
  const start = () => startServerProcess({ DATABASE_URL: database.url, MUSTER_DATA: folder, PORT: String(port) })
  let server = await start()
  const { MUSTER_ACCESS_KEY_ID: keyId = '', MUSTER_SECRET_ACCESS_KEY: secret = '' } = await readCredentials(folder)
  const proxy = await startCuttingProxy(server.url)
  const muster = new Muster({ url: proxy.url, keyId, secret, retries: 30 })
  const names = Array.from({ length: CREATIONS }, (_, number) => `pump ${String(number).padStart(3, '0')}`)

  for (let cut = 1; cut <= CREATIONS / BATCH_SIZE; cut++) {
    const batch = names.slice((cut - 1) * BATCH_SIZE, cut * BATCH_SIZE)
    // Drop the responses, so that some connections break only after the server has created the device.
    if (cut % 2 === 0) proxy.dropResponses(BATCH_SIZE)
    const creations = batch.map((name) => muster.mutate({ registerDevice: { $: { name }, device: { name: true } } }))
    await sleep(randomInt(30))
    if (cut % KILL_EVERY === 0) {
      await server.stop('SIGKILL')
      server = await start()
    } else proxy.cut()
    const created = await Promise.all(creations)
    expect(created.map(({ registerDevice }) => registerDevice.device.name)).toEqual(batch)
  }

  const direct = new Muster({ url: server.url, keyId, secret })
  const devices = await direct.devices({ select: { name: true }, sort: 'name asc' }).toArray()
  expect(devices.map(({ name }) => name)).toEqual(names)
})
