import { type Config, readConfig } from '@muster/server/config.ts'
import { createDatabase, createPool, type Database } from '@muster/server/db/database.ts'
import { clusterFolderOf, findCluster } from '@muster/server/db/embedded/cluster.ts'
import { connectOrStart, type OpenDatabase } from '@muster/server/db/embedded/connect-running.ts'
import type pg from 'pg'
import { CliError } from './cli-error.ts'
import { type Log, standardErrorLog } from './log.ts'

export interface LocalDatabase {
  db: Database
  pool: pg.Pool
  /** For what needs a connection to itself. */
  connection: pg.PoolConfig
  config: Config
  log: Log
}

export interface DatabaseOptions {
  /** For commands that mean an installation which is there: a new one, where they look by mistake, would serve nobody. */
  mustExist?: boolean
}

/**
 * Does work on the installation's own database: that of DATABASE_DIRECT_URL or DATABASE_URL, else the embedded one, which is started for as long
 * as the work takes unless a server runs it already.
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
  // An idle connection that breaks is replaced; a statement that fails says so itself.
  pool.on('error', () => {})
  const db = createDatabase(pool)
  try {
    if (config.databaseUrl !== undefined) await assertAnswers(pool, config)
    return await work({ db, pool, connection, config, log })
  } finally {
    await db.destroy()
    // Kysely leaves alone what it never used; its idle connection would keep the command for half a minute.
    if (!pool.ending) await pool.end()
    await close()
  }
}

async function assertInstalled({ databaseUrl, dataFolder }: Config): Promise<void> {
  if (databaseUrl !== undefined) return
  const isThere = await findCluster(clusterFolderOf(dataFolder)).then(
    (cluster) => cluster !== undefined,
    // Whoever opens it says what is wrong with it.
    () => true,
  )
  if (isThere) return
  throw new CliError(`there is no Muster in ${dataFolder}`, {
    hint: 'Set MUSTER_DATA or DATABASE_URL as the server has them, or start the server once: muster serve.',
  })
}

async function assertAnswers(pool: pg.Pool, { databaseDirectUrl }: Config): Promise<void> {
  try {
    const client = await pool.connect()
    client.release()
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    const name = databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
    throw new CliError(`${name}: no database answers there (${message || code})`)
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
