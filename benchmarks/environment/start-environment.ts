import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type AccessKey, send, toRequest } from '../run/operation.ts'
import { type BenchmarkDatabase, startDatabase } from './database.ts'
import { createFleet, type Fleet } from './fleet.ts'
import type { Environment } from './run-operation.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { type Command, DATABASE_CONNECTIONS, type System, startCommand, systems } from './systems.ts'

export interface StartedEnvironment extends Environment {
  database: BenchmarkDatabase
  /** Starts another server on the same database. The caller must stop the server. */
  startServer(settings?: Readonly<Record<string, string>>): Promise<ServerProcess>
  close(): Promise<void>
}

export interface EnvironmentOptions {
  devices: number
  services: number
  profile: string | undefined
  /** Path of the checkout that contains the system `before`. */
  before?: string | undefined
}

export async function startEnvironment(options: EnvironmentOptions): Promise<StartedEnvironment> {
  const database = await startDatabase()
  const pool = new pg.Pool({ ...database.connection, max: 2 })
  const processes = new Map<System, Promise<ServerProcess>>()
  const close = async (): Promise<void> => {
    for (const started of await Promise.allSettled(processes.values())) {
      if (started.status === 'fulfilled') await started.value.stop()
    }
    await pool.end()
    await database.stop()
  }
  try {
    return await setUp(options, { database, pool, processes, close })
  } catch (error) {
    await close()
    throw error
  }
}

interface Start {
  flags?: readonly string[]
  settings?: Readonly<Record<string, string>>
  command?: Command
}

interface EmptyEnvironment {
  database: BenchmarkDatabase
  pool: pg.Pool
  processes: Map<System, Promise<ServerProcess>>
  close(): Promise<void>
}

async function setUp(
  { profile, before, ...size }: EnvironmentOptions,
  { processes, ...empty }: EmptyEnvironment,
): Promise<StartedEnvironment> {
  const { database, pool } = empty
  const masterKey = randomBytes(32).toString('base64')
  const startServer = async (name: string, { flags = [], settings = {}, command = systems.server }: Start = {}) => {
    const folder = join(database.folder, name)
    await mkdir(folder, { recursive: true })
    const required = { DATABASE_URL: database.url, MUSTER_DATA: folder, MUSTER_MASTER_KEY: masterKey }
    // Share compiled code among the servers. A measured server then loads this code, like a server that restarts.
    const compiled = { NODE_COMPILE_CACHE: join(database.folder, 'compiled') }
    const env = { ...command.env, ...serverSettings, ...compiled, ...required, ...settings }
    return startServerProcess({ args: [...flags, ...command.args], env, log: join(folder, 'log') })
  }

  // Use a separate server to create the fleet, because a measured server must not have run other kinds of operations.
  const creator = await startServer('server')
  const accessKey = await readAccessKey(join(database.folder, 'server'))
  const fleet = await createFleet(pool, {
    ...size,
    send: (operation) => send(creator.url, toRequest(creator.url, operation, accessKey)),
  }).finally(creator.stop)
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`, ...serverOptions]

  const processOf = (system: System): Promise<ServerProcess> => {
    let started = processes.get(system)
    if (started === undefined) {
      started = start(system)
      processes.set(system, started)
    }
    return started
  }
  const start = (system: System): Promise<ServerProcess> => {
    if (system === 'server') return startServer('server', { flags })
    if (system === 'before') return startServer('before', { command: startCommand(before!) })
    const log = join(database.folder, `${system}.log`)
    return startServerProcess({ ...systems[system], env: peerEnvironment(database, fleet), log })
  }
  let serverCount = 0
  return {
    ...empty,
    fleet,
    processOf,
    accessKey,
    startServer: (settings = {}) => startServer(`server-${++serverCount}`, { settings }),
  }
}

/**
 * The Node.js options that `muster serve` needs. Without these options, the command replaces its process with one that
 * has them. The profiler's timer would then remain active, and its signal would end the new process.
 */
const serverOptions = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=110',
  '--no-parallel-scavenge',
  '--no-allocation-site-pretenuring',
  '--no-maglev',
]

/** Raises the rate limit, so that it does not limit the load, and disables the MQTT port. */
const serverSettings = {
  MUSTER_KEY_POINTS: '1000000000',
  MUSTER_KEY_POINTS_PER_SECOND: '1000000000',
  MUSTER_MQTT_PORT: '0',
}

/**
 * Returns the environment variables of a system other than Muster. `DATABASE_URL` disables parallel query plans, as the
 * server does in its sessions. The database's configuration contains the other session settings that affect query
 * plans.
 */
const peerEnvironment = ({ url }: BenchmarkDatabase, { accountId }: Fleet): Record<string, string> => ({
  DATABASE_URL: `${url}&options=${encodeURIComponent('-c max_parallel_workers_per_gather=0')}`,
  DATABASE_CONNECTIONS: String(DATABASE_CONNECTIONS),
  ACCOUNT_ID: accountId,
})

async function readAccessKey(folder: string): Promise<AccessKey> {
  const text = await readFile(join(folder, 'credentials'), 'utf8')
  const read = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  const secret = Buffer.from(read('MUSTER_SECRET_ACCESS_KEY'), 'base64')
  return { keyId: read('MUSTER_ACCESS_KEY_ID'), key: { algorithm: 'hmac-sha256', secret } }
}
