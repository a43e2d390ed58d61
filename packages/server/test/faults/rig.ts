import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type Embedded, startEmbedded } from '../../src/db/embedded/embedded.ts'
import { putCluster } from '../cluster.ts'
import {
  readCredentials,
  type ServerProcess,
  type SignedAnswer,
  sendAs,
  startServerProcess,
} from '../server-process.ts'
import { unlimited } from '../unlimited.ts'

/** A PostgreSQL of its own and servers on it, each of which can be killed at any moment and is started anew. */
export interface Rig {
  folder: string
  /** Sends an operation to one of the servers that run; rejects when no answer comes. */
  send(document: string): Promise<SignedAnswer>
  killServer(): Promise<void>
  /** Every process of it at once. `settings` are those that it is started with again. */
  killDatabase(settings?: Record<string, string>): Promise<void>
  /** Holds up the process that writes out the log of commits which nobody waits for. */
  stopWritingLog(): Promise<void>
}

export async function openRig({ servers: count }: { servers: number }): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-faults-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await putCluster(join(folder, 'database'))
  let database = await startDatabase(folder, {})
  onTestFinished(() => database.stop())
  const { host, port, user, database: name } = database.connection
  const data = join(folder, 'servers')
  await mkdir(data)
  const env = {
    ...unlimited,
    DATABASE_URL: `postgresql:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`,
    MUSTER_DATA: data,
    MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
    MUSTER_LOG_LEVEL: 'fatal',
    MUSTER_WEBHOOK_ALLOW: '127.0.0.1',
    MUSTER_WEBHOOK_RETRIES: Array(50).fill('1').join(','),
  }
  const running: ServerProcess[] = []
  /** As whoever watches over servers does: one that does not come up, since its database is gone, is started again. */
  let isOver = false
  const start = async (): Promise<void> => {
    while (!isOver) {
      const started = startServerProcess(env)
      // What is to be done at the end is done backwards: this before that server is ended.
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
  let turn = 0
  const untilOneRuns = async (): Promise<void> => {
    while (running.length === 0) await sleep(20)
  }
  return {
    folder,
    async send(document) {
      await untilOneRuns()
      return sendAs(credentials, running[turn++ % running.length]!.url, document)
    },
    async killServer() {
      await untilOneRuns()
      await running.shift()!.stop('SIGKILL')
      void start()
    },
    async killDatabase(settings = {}) {
      await killAll(database.pid)
      database = await startDatabase(folder, settings)
    },
    async stopWritingLog() {
      process.kill(await findWriter(database.pid), 'SIGSTOP')
    },
  }
}

async function startDatabase(folder: string, settings: Record<string, string>): Promise<Embedded> {
  const quiet = { info() {}, warn() {}, error() {} }
  return startEmbedded({ dataFolder: join(folder, 'database'), log: quiet, onExit() {}, settings })
}

/** SIGKILL to a process and all that it has started, so that none of them can write out what it holds. */
async function killAll(pid: number): Promise<void> {
  const children = await childrenOf(pid)
  for (const each of [pid, ...children]) end(each)
  while ([pid, ...children].some(isThere)) await sleep(5)
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}

/** It may begin a moment after the database serves. */
async function findWriter(pid: number): Promise<number> {
  for (;;) {
    for (const child of await childrenOf(pid)) {
      const title = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
      if (title.startsWith('postgres: walwriter')) return child
    }
    await sleep(20)
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // One of them may have come to its end in between.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
