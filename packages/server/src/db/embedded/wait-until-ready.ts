import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EmbeddedConnection, readDatabaseState } from './connection.ts'
import { EmbeddedError, useDatabaseUrl } from './embedded-error.ts'
import type { EmbeddedLog } from './embedded-log.ts'
import { adviceOn } from './explain-failure.ts'
import type { LogFile } from './log-file.ts'
import type { Postgres } from './postgres.ts'

interface Start {
  readonly postgres: Postgres
  readonly connection: EmbeddedConnection
  readonly clusterFolder: string
  readonly logFile: LogFile
  readonly log: EmbeddedLog
}

const logIntervalSeconds = 10

/**
 * Rejects if PostgreSQL exits before it is ready. There is no time limit, because recovery after a crash may take a
 * long time.
 */
export async function waitUntilReady({ postgres, connection, clusterFolder, logFile, log }: Start): Promise<void> {
  const startedAt = Date.now()
  let seconds = 0
  while (postgres.isAlive()) {
    if ((await hasReadyStatus(clusterFolder)) && (await readDatabaseState(connection)) === 'ready') return
    if (Date.now() - startedAt > (seconds + logIntervalSeconds) * 1000) {
      seconds += logIntervalSeconds
      log.info({ seconds }, 'the embedded database is still starting, perhaps recovering from a crash')
    }
    await Promise.race([sleep(15), postgres.exited])
  }
  const lines = await logFile.tail()
  throw new EmbeddedError(
    'start-failed',
    `The embedded database did not start (${await postgres.exited}). ${adviceOn(lines)}${useDatabaseUrl}\n` +
      `The end of ${logFile.path}:\n${lines}`,
  )
}

/**
 * Line 8 of postmaster.pid is "ready" once PostgreSQL accepts connections. An earlier connection attempt would add a
 * line to PostgreSQL's log.
 */
async function hasReadyStatus(clusterFolder: string): Promise<boolean> {
  const text = await readFile(join(clusterFolder, 'postmaster.pid'), 'utf8').catch(() => '')
  return text.split('\n')[7]?.trim() === 'ready'
}
