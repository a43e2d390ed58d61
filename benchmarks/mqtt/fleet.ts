import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { newCounts } from '../../packages/cli/src/simulate/counts.ts'
import { type Credentials, createDevice } from '../../packages/cli/src/simulate/device.ts'
import { createThrottle } from '../../packages/cli/src/simulate/throttle.ts'
import { hashDeviceSecret, newDeviceSecret } from '../../packages/server/src/features/devices/device-secret.ts'
import { startDatabase } from '../environment/database.ts'
import { createFleetServer } from './fleet-server.ts'

const [count = 10_000, rate = 500] = process.argv.slice(2).map(Number)
/** Nothing that is waited for here takes longer on any machine that is fit for it. */
const PATIENCE_MS = 300_000

const database = await startDatabase()
const server = await createFleetServer({
  DATABASE_URL: database.url,
  MUSTER_DATA: database.folder,
  MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
  MUSTER_MQTT_SIGNING_ON: String(count),
})
const client = new pg.Client(database.connection)
const counts = newCounts(count)

/** Devices as they are after their registration. */
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

/** Seconds until it is so. */
async function secondsUntil(isSo: () => boolean | Promise<boolean>): Promise<number> {
  const began = performance.now()
  while (!(await isSo())) {
    if (performance.now() - began > PATIENCE_MS) throw new Error(`given up: ${JSON.stringify(counts)}`)
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

  const signedOn = await secondsUntil(areConnected)
  const active = await secondsUntil(async () => (await countActive()) === count)
  await sleep(10_000)
  const memory = await server.memory()

  await server.stop()
  await secondsUntil(() => counts.connected === 0)
  const restarting = performance.now()
  await server.start()
  const restarted = (performance.now() - restarting) / 1_000
  const back = await secondsUntil(areConnected)
  const activeAgain = await secondsUntil(async () => (await countActive()) === count)
  // Longer than a lease and the hold time: a state that is wrong would show by now.
  await sleep(20_000)
  const right = await countActive()
  console.table({
    devices: count,
    'connects a second at most': rate,
    'seconds until all had signed on': signedOn.toFixed(1),
    'seconds from there until all were active': active.toFixed(1),
    'MiB of the server, all connected': Math.round(memory),
    'seconds of the restart': restarted.toFixed(1),
    'seconds from there until all were back': back.toFixed(1),
    'seconds from there until all were active again': activeAgain.toFixed(1),
    'active 20 seconds later': right,
    'MiB of the server then': Math.round(await server.memory()),
  })
  console.log('went wrong on the way:', counts.failures)
  if (right !== count) process.exitCode = 1

  for (const device of fleet) device.stop()
  await Promise.all(running)
} finally {
  await server.stop()
  await client.end()
  await database.stop()
}
process.exit()
