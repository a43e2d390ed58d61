import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createThrottle } from '../../packages/cli/src/simulate/connection-throttle.ts'
import { newCounts } from '../../packages/cli/src/simulate/counts.ts'
import { type Credentials, createDevice } from '../../packages/cli/src/simulate/device.ts'
import { hashDeviceSecret, newDeviceSecret } from '../../packages/server/src/features/devices/changes/device-secret.ts'
import { startDatabase } from '../environment/database.ts'
import { createFleetServer } from './fleet-server.ts'

const [count = 10_000, rate = 500] = process.argv.slice(2).map(Number)
const TIMEOUT_MS = 300_000

const database = await startDatabase()
const server = await createFleetServer({
  DATABASE_URL: database.url,
  MUSTER_DATA: database.folder,
  MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
  MUSTER_MQTT_SIGNING_ON: String(count),
})
const client = new pg.Client(database.connection)
const counts = newCounts(count)

async function insertDevices(): Promise<Credentials[]> {
  const devices = Array.from({ length: count }, () => ({
    id: `80${randomBytes(7).toString('hex')}`.replace(/..(?!$)/g, '$&:'),
    secret: newDeviceSecret(),
  }))
  const ids = devices.map(({ id }) => id)
  const hashes = devices.map(({ secret }) => hashDeviceSecret(secret))
  await client.query(
    `insert into device (account_id, id, name, secret_hash)
     select account.id, row.id, 'simulated', row.hash from account, unnest($1::text[], $2::bytea[]) as row (id, hash)`,
    [ids, hashes],
  )
  await client.query('insert into device_live (account_id, device_id) select account_id, id from device')
  return devices
}

async function secondsUntil(condition: () => boolean | Promise<boolean>): Promise<number> {
  const began = performance.now()
  while (!(await condition())) {
    if (performance.now() - began > TIMEOUT_MS)
      throw new Error(`The fleet did not reach the expected state in ${TIMEOUT_MS} ms: ${JSON.stringify(counts)}`)
    await sleep(50)
  }
  return (performance.now() - began) / 1_000
}

const areConnected = (): boolean => counts.connected === count

async function countActive(): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from device_live where state = 'active'`,
  )
  return rows[0]!.count
}

try {
  await server.start()
  await client.connect()
  const devices = await insertDevices()
  const behavior = { broker: server.broker, every: 60, dropEvery: 0, waitToConnect: createThrottle(rate) }
  const fleet = devices.map((device) => createDevice(device, behavior, counts))
  const running = fleet.map((device) => device.run())

  const connectSeconds = await secondsUntil(areConnected)
  const activeSeconds = await secondsUntil(async () => (await countActive()) === count)
  await sleep(10_000)
  const memory = await server.memory()

  await server.stop()
  await secondsUntil(() => counts.connected === 0)
  const restartBegan = performance.now()
  await server.start()
  const restartSeconds = (performance.now() - restartBegan) / 1_000
  const reconnectSeconds = await secondsUntil(areConnected)
  const activeAgainSeconds = await secondsUntil(async () => (await countActive()) === count)
  // Wait until the grace period and the lease of the stopped server process have ended. Only then could the server make
  // a connected device inactive by mistake.
  await sleep(20_000)
  const stillActive = await countActive()
  console.table({
    devices: count,
    'maximum number of new connections per second': rate,
    'seconds until all devices were connected': connectSeconds.toFixed(1),
    'seconds from then until all devices were active': activeSeconds.toFixed(1),
    'server memory in MiB with all devices connected': Math.round(memory),
    'seconds to start the server again': restartSeconds.toFixed(1),
    'seconds from then until all devices were connected again': reconnectSeconds.toFixed(1),
    'seconds from then until all devices were active again': activeAgainSeconds.toFixed(1),
    'active devices 20 seconds later': stillActive,
    'server memory in MiB at that time': Math.round(await server.memory()),
  })
  console.log('failures:', counts.failures)
  if (stillActive !== count) process.exitCode = 1

  for (const device of fleet) device.stop()
  await Promise.all(running)
} finally {
  await server.stop()
  await client.end()
  await database.stop()
}
process.exit()
