import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { startEmbedded } from '../../packages/server/src/db/embedded/embedded.ts'

export interface BenchmarkDatabase {
  connection: pg.PoolConfig
  url: string
  /** The database's temporary folder. Servers can also store their data in it. */
  folder: string
  stop(): Promise<void>
}

/** Starts an empty database with the settings of a server's embedded database. */
export async function startDatabase(): Promise<BenchmarkDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'))
  const quiet = { info() {}, warn: console.warn, error: console.error }
  const database = await startEmbedded({ dataFolder: folder, log: quiet, onExit: (reason) => console.error(reason) })
  const { connection } = database
  const { host = '', port = 5432, user = '', database: name = '' } = connection
  return {
    connection,
    url: `postgresql:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`,
    folder,
    async stop() {
      await database.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
