import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type BenchmarkDatabase, startDatabase } from './database.ts'
import { type Command, type Contestant, contestants, DATABASE_CONNECTIONS, startCommand } from './systems.ts'
import { type Fleet, makeFleet } from './fleet.ts'
import type { Ground } from './environment.ts'
import { type AccessKey, send, toRequest } from '../run/operation.ts'
import { type Program, startProgram } from './server-process.ts'

/** A database with a fleet, and the contestants on it. */
export interface Stage extends Ground {
  database: BenchmarkDatabase
  /** Another server on the same database, for the caller to stop; with settings of its own, where they are given. */
  startServer(settings?: Readonly<Record<string, string>>): Promise<Program>
  close(): Promise<void>
}

export interface StageOptions {
  devices: number
  /** Of each device. */
  services: number
  /** Where the server writes a CPU profile when it ends. */
  profile: string | undefined
  /** The checkout that the contestant `before` is started from. */
  before?: string | undefined
}

export async function openStage(options: StageOptions): Promise<Stage> {
  const database = await startDatabase()
  const pool = new pg.Pool({ ...database.connection, max: 2 })
  const programs = new Map<Contestant, Promise<Program>>()
  const close = async (): Promise<void> => {
    for (const program of await Promise.allSettled(programs.values())) {
      if (program.status === 'fulfilled') await program.value.stop()
    }
    await pool.end()
    await database.stop()
  }
  try {
    return await furnish(options, { database, pool, programs, close })
  } catch (error) {
    await close()
    throw error
  }
}

interface Start {
  /** Of node. */
  flags?: readonly string[]
  settings?: Readonly<Record<string, string>>
  command?: Command
}

interface Bare {
  database: BenchmarkDatabase
  pool: pg.Pool
  programs: Map<Contestant, Promise<Program>>
  close(): Promise<void>
}

async function furnish({ profile, before, ...size }: StageOptions, { programs, ...bare }: Bare): Promise<Stage> {
  const { database, pool } = bare
  const masterKey = randomBytes(32).toString('base64')
  const startServer = async (name: string, { flags = [], settings = {}, command = contestants.server }: Start = {}) => {
    const folder = join(database.folder, name)
    await mkdir(folder, { recursive: true })
    const own = { DATABASE_URL: database.url, MUSTER_DATA: folder, MUSTER_MASTER_KEY: masterKey }
    const env = { ...command.env, ...serverSettings, ...own, ...settings }
    return startProgram({ args: [...flags, ...command.args], env, log: join(folder, 'log') })
  }

  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const server = startServer('server', { flags })
  programs.set('server', server)
  const { url } = await server
  const accessKey = await readAccessKey(join(database.folder, 'server'))
  const fleet = await makeFleet(pool, { ...size, ask: (operation) => send(url, toRequest(url, operation, accessKey)) })

  const program = (contestant: Contestant): Promise<Program> => {
    let started = programs.get(contestant)
    if (started === undefined) {
      started = start(contestant)
      programs.set(contestant, started)
    }
    return started
  }
  const start = (contestant: Contestant): Promise<Program> => {
    if (contestant === 'before') return startServer('before', { command: startCommand(before!) })
    const log = join(database.folder, `${contestant}.log`)
    return startProgram({ ...contestants[contestant], env: envOf(database, fleet), log })
  }
  let others = 0
  return {
    ...bare,
    fleet,
    program,
    accessKey,
    startServer: (settings = {}) => startServer(`server-${++others}`, { settings }),
  }
}

/** All else as it is by default. The budget of a key is for what people and programs do, not for load without end. */
const serverSettings = {
  MUSTER_KEY_POINTS: '1000000000',
  MUSTER_KEY_POINTS_PER_SECOND: '1000000000',
  MUSTER_MQTT_PORT: '0',
}

/** What planning hangs on is set for all contestants as the server has it; the database itself has the rest. */
const envOf = ({ url }: BenchmarkDatabase, { accountId }: Fleet): Record<string, string> => ({
  DATABASE_URL: `${url}&options=${encodeURIComponent('-c max_parallel_workers_per_gather=0')}`,
  DATABASE_CONNECTIONS: String(DATABASE_CONNECTIONS),
  ACCOUNT_ID: accountId,
})

/** Those of the owner, whom the first start of the server made. */
async function readAccessKey(folder: string): Promise<AccessKey> {
  const text = await readFile(join(folder, 'credentials'), 'utf8')
  const read = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  const secret = Buffer.from(read('MUSTER_SECRET_ACCESS_KEY'), 'base64')
  return { keyId: read('MUSTER_ACCESS_KEY_ID'), key: { algorithm: 'hmac-sha256', secret } }
}
