import { type Config, readConfig } from '@muster/server/config.ts'
import { createDatabase, type Database } from '@muster/server/db/database.ts'
import { clusterFolderOf, findCluster } from '@muster/server/db/embedded/cluster/cluster-folder.ts'
import { connectOrStart, type OpenDatabase } from '@muster/server/db/embedded/connect-or-start.ts'
import { createPool } from '@muster/server/db/pool/create-pool.ts'
import type pg from 'pg'
import { CliError } from '../errors/cli-error.ts'
import { type Log, standardErrorLog } from './log.ts'

export interface LocalDatabase {
  db: Database
  pool: pg.Pool
  /** Connection settings for work that needs a dedicated connection. */
  connection: pg.PoolConfig
  config: Config
  log: Log
}

export interface DatabaseOptions {
  /** Whether to fail instead of creating an embedded database, for example because MUSTER_DATA is wrong. */
  mustExist?: boolean
}

/**
 * Runs `work` on the embedded database or, if DATABASE_URL is set, on an external database. Connects to the external
 * database at DATABASE_DIRECT_URL or, if that is not set, at DATABASE_URL. Starts the embedded database unless a server
 * has already started it.
 */
export async function withDatabase<Result>(
  work: (database: LocalDatabase) => Promise<Result>,
  { mustExist = false }: DatabaseOptions = {},
): Promise<Result> {
  const config = readConfig()
  if (mustExist) await assertInstalled(config)
  const log = standardErrorLog()
  const { connection, close } = await open(config, log)
  const pool = createPool({ connection, size: 4, statementTimeout: 0 })
  // Ignore errors of idle connections, because the pool replaces these connections.
  pool.on('error', () => {})
  const db = createDatabase(pool)
  try {
    if (config.databaseUrl !== undefined) await assertReachable(pool, config)
    return await work({ db, pool, connection, config, log })
  } finally {
    await db.destroy()
    // Kysely does not end a pool that it never used, and an idle connection would delay the exit by 30 seconds.
    if (!pool.ending) await pool.end()
    await close()
  }
}

async function assertInstalled({ databaseUrl, dataFolder }: Config): Promise<void> {
  if (databaseUrl !== undefined) return
  const isThere = await findCluster(clusterFolderOf(dataFolder)).then(
    (cluster) => cluster !== undefined,
    // Treat an unreadable cluster as existing, because opening it reports the error.
    () => true,
  )
  if (isThere) return
  throw new CliError(`no Muster installation found in ${dataFolder}`, {
    hint: 'Set MUSTER_DATA or DATABASE_URL to the server\'s value. To create an installation, run "muster serve".',
  })
}

async function assertReachable(pool: pg.Pool, { databaseDirectUrl }: Config): Promise<void> {
  try {
    const client = await pool.connect()
    client.release()
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    const name = databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
    throw new CliError(`cannot connect to the database in ${name}: ${message || code}`)
  }
}

async function open(config: Config, log: Log): Promise<{ connection: pg.PoolConfig; close: OpenDatabase['close'] }> {
  if (config.databaseUrl !== undefined) {
    return { connection: { connectionString: config.databaseDirectUrl ?? config.databaseUrl }, close: async () => {} }
  }
  return connectOrStart({
    dataFolder: config.dataFolder,
    archive: config.archiveFolder,
    log: { info: log.info.bind(log), warn: log.warn.bind(log), error: log.error.bind(log) },
    onExit: (reason) => log.error(reason),
  })
}
