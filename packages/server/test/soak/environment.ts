import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SigningKey } from '@muster/http-signature'
import pg from 'pg'
import { startDatabase } from '../../../../benchmarks/environment/database.ts'
import { createFleetServer, freePort } from '../../../../benchmarks/mqtt/fleet-server.ts'
import { seedFleet, vacuumFleetTables } from '../../../cli/src/seed/seed-fleet.ts'
import type { Credentials } from '../../../cli/src/simulate/device.ts'
import { hashDeviceSecret, newDeviceSecret } from '../../src/features/devices/changes/device-secret.ts'
import { unlimited } from '../harness/unlimited.ts'
import type { CollectedMemory } from './collected-memory.ts'

export interface Environment {
  url: string
  broker: string
  keyId: string
  key: SigningKey
  devices: Credentials[]
  countConnections(): Promise<number>
  /** Returns the number of attribute changes. The webhook must receive each change. */
  countChanges(): Promise<number>
  collectMemory(): Promise<CollectedMemory>
  /** Returns how long the server's main thread has waited for a CPU while it had work, in milliseconds. */
  cpuWait(): Promise<number>
  stop(): Promise<void>
}

/** `collected-memory.ts` needs `--expose-gc` to collect garbage, and uses an experimental module. */
const NODE_ARGS = [
  '--expose-gc',
  '--disable-warning=ExperimentalWarning',
  `--import=${import.meta.resolve('./collected-memory.ts')}`,
]

/** Restores the defaults for load shedding and for detecting an unresponsive database. */
const defaults = {
  MUSTER_MOST_REQUESTS: '',
  MUSTER_MOST_LAG: '',
  MUSTER_DATABASE_SILENCE: '',
}

/** Starts a server with the same command as `npm start`, without rate limits and with a separate database. */
export async function startEnvironment(devices: number, env: Record<string, string> = {}): Promise<Environment> {
  const database = await startDatabase()
  const memoryPort = await freePort()
  const settings = {
    ...unlimited,
    ...defaults,
    DATABASE_URL: database.url,
    MUSTER_DATA: database.folder,
    MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
    MUSTER_MQTT_SIGNING_ON: String(devices),
    MUSTER_WEBHOOK_ALLOW: '127.0.0.1',
    SOAK_MEMORY_PORT: String(memoryPort),
    ...env,
  }
  const server = await createFleetServer(settings, NODE_ARGS)
  const pool = new pg.Pool({ ...database.connection, max: 2 })
  // Ignore errors, because an idle connection reports an error when the database stops.
  pool.on('error', () => {})
  const stop = async (): Promise<void> => {
    await server.stop()
    await pool.end()
    await database.stop()
  }
  try {
    await server.start()
    const credentials = await readCredentials(database.folder)
    const count = async (statement: string): Promise<number> =>
      (await pool.query<{ count: number }>(statement)).rows[0]!.count
    return {
      url: server.url,
      broker: server.broker,
      keyId: credentials.MUSTER_ACCESS_KEY_ID!,
      key: { algorithm: 'hmac-sha256', secret: Buffer.from(credentials.MUSTER_SECRET_ACCESS_KEY!, 'base64') },
      devices: await createFleet(pool, devices),
      countConnections: () =>
        count('select count(*)::int as count from pg_stat_activity where datname = current_database()'),
      countChanges: () => count(`select count(*)::int as count from event where type = 'ATTRIBUTE_CHANGE'`),
      collectMemory: async () => (await fetch(`http://127.0.0.1:${memoryPort}`)).json() as Promise<CollectedMemory>,
      cpuWait: server.cpuWait,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function readCredentials(folder: string): Promise<Record<string, string>> {
  const lines = (await readFile(join(folder, 'credentials'), 'utf8')).split('\n')
  return Object.fromEntries(lines.filter((line) => line.includes('=')).map((line) => line.split(/=(.*)/s, 2)))
}

async function createFleet(pool: pg.Pool, devices: number): Promise<Credentials[]> {
  const { rows: accounts } = await pool.query<{ id: string }>('select id from account')
  await seedFleet(pool, { accountId: accounts[0]!.id, name: 'soak', devices, services: 2 }, () => {})
  const { rows } = await pool.query<{ id: string }>('select id from device order by id')
  const credentials = rows.map(({ id }) => ({ id, secret: newDeviceSecret() }))
  await pool.query(
    `update device set secret_hash = row.hash from unnest($1::text[], $2::bytea[]) as row (id, hash)
     where device.id = row.id`,
    [rows.map(({ id }) => id), credentials.map(({ secret }) => hashDeviceSecret(secret))],
  )
  await vacuumFleetTables(pool)
  return credentials
}
