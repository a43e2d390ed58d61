import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { askDatabase, type EmbeddedConnection } from './connection.ts'
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

const noticeEverySeconds = 10

/** Recovery after a crash takes as long as it takes: there is no bound as long as PostgreSQL lives. */
export async function waitUntilReady({ postgres, connection, clusterFolder, logFile, log }: Start): Promise<void> {
  const began = Date.now()
  let seconds = 0
  while (postgres.isAlive()) {
    if ((await saysReady(clusterFolder)) && (await askDatabase(connection)) === 'ready') return
    if (Date.now() - began > (seconds + noticeEverySeconds) * 1000) {
      seconds += noticeEverySeconds
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

/** Line 8 of postmaster.pid is its status: read first, since each connection refused would be a line in the log. */
async function saysReady(clusterFolder: string): Promise<boolean> {
  const text = await readFile(join(clusterFolder, 'postmaster.pid'), 'utf8').catch(() => '')
  return text.split('\n')[7]?.trim() === 'ready'
}
