import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type Embedded, startEmbedded } from '../../src/db/embedded/embedded.ts'
import { childrenOf, killAll, signal } from './signals.ts'

/** A PostgreSQL server with simulated failures. */
export interface FaultyDatabase {
  url: string
  /** Kills all server processes with SIGKILL and starts the server again with these settings. */
  kill(settings?: Record<string, string>): Promise<void>
  freeze(): Promise<void>
  thaw(): void
  shutDown(): Promise<void>
  start(): Promise<void>
  /** Pauses the WAL writer, which flushes asynchronous commits. */
  stopWritingLog(): Promise<void>
}

export async function openDatabase(
  dataFolder: string,
  always: Readonly<Record<string, string>> = {},
): Promise<FaultyDatabase> {
  const quiet = { info() {}, warn() {}, error() {} }
  const start = (settings = {}): Promise<Embedded> =>
    startEmbedded({ dataFolder, log: quiet, onExit() {}, settings: { ...always, ...settings } })
  let running: Embedded | undefined = await start()
  const { host, port, user, database: name } = running.connection
  const pid = (): number => running!.pid
  let frozen: number[] = []
  const thaw = (): void => {
    for (const each of frozen) signal(each, 'SIGCONT')
    frozen = []
  }
  onTestFinished(async () => {
    thaw()
    await running?.stop()
  })
  return {
    url: `postgresql:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`,
    async kill(settings) {
      await killAll(pid())
      running = await start(settings)
    },
    async freeze() {
      // Stop the postmaster first, so that it starts no further processes.
      for (let found = [pid()]; found.length > frozen.length; found = [pid(), ...(await childrenOf(pid()))]) {
        for (const each of found) signal(each, 'SIGSTOP')
        frozen = found
      }
    },
    thaw,
    async shutDown() {
      await running!.stop()
      running = undefined
    },
    async start() {
      running = await start()
    },
    async stopWritingLog() {
      signal(await findWalWriter(pid()), 'SIGSTOP')
    },
  }
}

/**
 * Returns the process ID of the WAL writer. Waits for the WAL writer, because it may start shortly after the database
 * accepts connections.
 */
async function findWalWriter(pid: number): Promise<number> {
  for (;;) {
    for (const child of await childrenOf(pid)) {
      const title = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
      if (title.startsWith('postgres: walwriter')) return child
    }
    await sleep(20)
  }
}
