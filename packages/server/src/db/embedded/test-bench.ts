import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { createDataFolder } from '../../../test/database/data-folder.ts'
import type { EmbeddedConnection } from './connection.ts'
import { type Embedded, type EmbeddedOptions, startEmbedded } from './embedded.ts'
import { processIdentity } from './process-identity.ts'

/** Creates a folder that only this user may enter, and removes it after the test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-embedded-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }))
  return folder
}

/** Creates a private folder that contains a database, as after a first start. */
export async function newDataFolder(): Promise<string> {
  const folder = await newFolder()
  await createDataFolder(folder)
  return folder
}

export interface Started extends Embedded {
  readonly messages: string[]
  readonly ended: Promise<string>
}

/** Starts the database, and stops it after the test unless the test has already stopped it. */
export async function start(
  dataFolder: string,
  settings: EmbeddedOptions['settings'] = {},
  archive?: string,
): Promise<Started> {
  const messages: string[] = []
  const note = (details: object, message: string): void => void messages.push(`${message} ${JSON.stringify(details)}`)
  const { promise: ended, resolve: onExit } = Promise.withResolvers<string>()
  const log = { info: note, warn: note, error: note }
  const embedded = await startEmbedded({ dataFolder, log, onExit, settings, archive })
  onTestFinished(() => embedded.stop())
  return { ...embedded, messages, ended }
}

export async function query<R extends pg.QueryResultRow>(
  connection: EmbeddedConnection,
  ...statements: string[]
): Promise<R[]> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    let rows: R[] = []
    for (const statement of statements) rows = (await client.query<R>(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

export interface TestServer {
  readonly process: ChildProcess
  readonly result: { pid?: number; host?: string; warnings?: string[]; code?: string; message?: string }
  kill(signal: NodeJS.Signals): Promise<number | null>
}

const script = fileURLToPath(new URL('test-server.ts', import.meta.url))

/** Starts a server and waits for its first output. */
export async function startServer(
  dataFolder: string,
  before: readonly string[] = [],
  file = script,
): Promise<TestServer> {
  let pid: number | undefined
  onTestFinished(() => until(() => isGone(pid)))
  const server = launchServer(dataFolder, before, file)
  let stderr = ''
  server.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const lines = createInterface({ input: server.stdout! })
  const { value } = await lines[Symbol.asyncIterator]().next()
  if (value === undefined) throw new Error(`the test server printed nothing: ${stderr}`)
  const result: TestServer['result'] = JSON.parse(value)
  pid = result.pid
  return {
    process: server,
    result,
    kill: async (signal) => {
      const exit = once(server, 'exit')
      server.kill(signal)
      return (await exit)[0]
    },
  }
}

export function launchServer(dataFolder: string, before: readonly string[] = [], file = script): ChildProcess {
  const [program = '', ...args] = [...before, process.execPath, file, dataFolder]
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  onTestFinished(async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const exit = once(server, 'exit')
    server.kill('SIGKILL')
    await exit
  })
  return server
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10)
}

export const isGone = async (pid: number | undefined): Promise<boolean> =>
  pid === undefined || (await processIdentity(pid)) === undefined

/** Whether this user can mount file systems. Root usually can, except in a container. */
export const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0
