import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { createDataFolder } from '../database/data-folder.ts'
import {
  readCredentials,
  type ServerProcess,
  type SignedResponse,
  sendAs,
  startServerProcess,
} from '../harness/server-process.ts'
import { unlimited } from '../harness/unlimited.ts'
import { type FaultyDatabase, openDatabase } from './database.ts'

/** A separate PostgreSQL server with Muster servers that are restarted whenever a test kills them. */
export interface Rig {
  folder: string
  database: FaultyDatabase
  credentials: Record<string, string>
  server(): Promise<ServerProcess>
  /** Sends an operation to one of the servers. Rejects if no response arrives. */
  send(document: string): Promise<SignedResponse>
  killServer(): Promise<void>
}

export interface RigOptions {
  servers?: number
  env?: Record<string, string>
  /** The default is a temporary folder. */
  databaseFolder?: string
  prepare?: () => Promise<void>
  postgres?: Record<string, string>
  /** Returns the URL that servers use to connect to the database, such as a proxy's URL. */
  connectThrough?: (url: string) => Promise<string>
}

export async function openRig(options: RigOptions = {}): Promise<Rig> {
  const { servers: count = 1, connectThrough = async (url) => url } = options
  const folder = await mkdtemp(join(tmpdir(), 'muster-faults-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const databaseFolder = options.databaseFolder ?? join(folder, 'database')
  await createDataFolder(databaseFolder)
  await options.prepare?.()
  const database = await openDatabase(databaseFolder, options.postgres)
  const data = join(folder, 'servers')
  await mkdir(data)
  const env = {
    ...unlimited,
    DATABASE_URL: await connectThrough(database.url),
    MUSTER_DATA: data,
    MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
    MUSTER_LOG_LEVEL: 'fatal',
    MUSTER_WEBHOOK_ALLOW: '127.0.0.1',
    MUSTER_WEBHOOK_RETRIES: Array(50).fill('1').join(','),
    ...options.env,
  }
  const running: ServerProcess[] = []
  let isOver = false
  /** Starts a server. If the server does not start, for example because its database is down, starts another server. */
  const start = async (): Promise<void> => {
    while (!isOver) {
      const started = startServerProcess(env)
      // Callbacks of `onTestFinished` run in reverse order, so this callback runs before the server stops.
      onTestFinished(() => {
        isOver = true
      })
      const server = await started.catch(() => undefined)
      if (server !== undefined) return void running.push(server)
    }
  }
  await start()
  const credentials = await readCredentials(data)
  for (let more = 1; more < count; more++) void start()
  let requests = 0
  const waitForServer = async (): Promise<void> => {
    while (running.length === 0) await sleep(20)
  }
  const server: Rig['server'] = async () => {
    await waitForServer()
    return running[requests++ % running.length]!
  }
  return {
    folder,
    database,
    credentials,
    server,
    send: async (document) => sendAs(credentials, (await server()).url, document),
    async killServer() {
      await waitForServer()
      await running.shift()!.stop('SIGKILL')
      void start()
    },
  }
}
