import type pg from 'pg'
import { scheduleBackups } from './backup/schedule/schedule-backups.ts'
import { type Config, readConfig, unknownSettings } from './config.ts'
import { clusterOf, distributeTables } from './db/cluster/distribute.ts'
import type { Database } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open-database.ts'
import { recordOverConnection } from './features/users/record-installation-event.ts'
import { exists } from './lib/exists.ts'
import { createMetrics } from './metrics.ts'
import { createProcesses } from './processes/processes.ts'
import type { ServingOptions } from './serving.ts'
import { credentialsPath, updateUrl } from './start/credentials-file.ts'
import { warnOfOpenDataFolder } from './start/data-folder.ts'
import { warnOfConnections } from './start/database-connections.ts'
import { exitSoon } from './start/exit-soon.ts'
import { failureText } from './start/failure-text.ts'
import { greeting, localUrl } from './start/greeting.ts'
import { createLog } from './start/log.ts'
import { type Running, run } from './start/run-until-stopped.ts'
import { openServingCertificates } from './start/serving-certificates.ts'
import { openServingDatabase } from './start/serving-database.ts'
import { type SetUp, setUp } from './start/set-up.ts'
import { StartError } from './start-error.ts'

/** Resolves when the server has stopped. Rejects if it cannot start or loses its database permanently. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config)
  for (const name of unknownSettings())
    log.warn({ name }, 'unknown setting: correct its name, or remove it if it belongs to another release')
  await run(log, (running) => start({ ...running, config }))
}

type Start = Running & { config: Config }

async function start(options: Start): Promise<void> {
  const { config, log, closing, signal } = options
  const certificates = await openServingCertificates(options)
  const database = await openServingDatabase(options)
  // PostgreSQL has 30 seconds for a fast shutdown. After that, it receives SIGQUIT and ends immediately.
  closing.add({ name: 'embedded database', close: database.stop, within: 40_000 })
  signal.throwIfAborted()

  const { secrets, isFirstStart } = await prepareDatabase(database.connection, options)
  signal.throwIfAborted()

  const backups = await scheduleBackups({
    config,
    connection: database.connection,
    log,
    onBackup: (backup) =>
      recordOverConnection(database.connection, log, { type: 'BACKUP_CREATE', data: { ...backup, scheduled: true } }),
  })
  closing.add({ name: 'backups', close: backups.close, within: 10_000 })
  await warnOfOpenDataFolder(config.dataFolder, log)

  const url =
    config.processes === 1
      ? await serveInThisProcess({ ...options, certificates, database, secrets })
      : await startProcesses(options)

  await updateUrl(config.dataFolder, config.publicUrl ?? url).catch((error: unknown) => {
    log.warn({ err: error }, 'cannot update MUSTER_URL in the credentials file')
  })
  const credentials = credentialsPath(config.dataFolder)
  const where = (await exists(credentials)) ? credentials : undefined
  process.stdout.write(greeting({ url: config.publicUrl ?? url, config, isFirstStart, credentials: where }))
}

/**
 * Connects without a statement timeout, because a migration, or the wait for another server's migration, can take a
 * long time.
 */
async function prepareDatabase(connection: pg.PoolConfig, { config, log, signal }: Start): Promise<SetUp> {
  const db = openDatabase({ connection, size: 2, statementTimeout: 0 }, log)
  try {
    await prepareTables(db, { config, log, signal })
    await warnOfConnections(db, config, log)
    return await setUp({ db, config, url: config.publicUrl ?? localUrl(config), log, signal })
  } finally {
    await db.destroy()
  }
}

async function prepareTables(
  db: Database,
  { config, log, signal }: Pick<Start, 'config' | 'log' | 'signal'>,
): Promise<void> {
  const migrations = await explainFailure('The database cannot be migrated to this release of Muster', () =>
    migrate(db, { log, signal }),
  )
  if (migrations.length > 0)
    log.info(
      { firstMigration: migrations[0], lastMigration: migrations.at(-1) },
      'migrated the database to this release',
    )
  await explainFailure('The tables cannot be distributed across the cluster', () =>
    distributeTables(db, { cluster: clusterOf(config), log, signal }),
  )
}

/** If `work` fails with an error other than a StartError, throws a StartError whose message begins with `what`. */
async function explainFailure<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StartError) throw error
    const cause = (error as Error).message.replace(/\.$/, '')
    throw new StartError(`${what}: ${cause}.`, { cause: error })
  }
}

/** Imports the serving code on demand, because a process that only supervises others does not need it. */
async function serveInThisProcess(options: Omit<ServingOptions, 'metrics'>): Promise<string> {
  const { startServing } = await import('./serving.ts')
  const metrics = createMetrics({ ofProcess: true })
  metrics.gauge('processesMissing', () => 0)
  return startServing({ ...options, metrics })
}

/** Starts the server processes. This process supervises them, runs the embedded database, and handles signals. */
async function startProcesses({ config, log, closing, onReload, signal }: Start): Promise<string> {
  const processes = createProcesses(config, log)
  closing.add({ name: 'server processes', close: processes.stop, within: 70_000 })
  onReload(async () => processes.reload())
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  return Promise.race([processes.start(), stopped])
}

if (import.meta.main) {
  try {
    await serve(readConfig())
  } catch (error) {
    process.stderr.write(`${failureText(error)}\n`)
    process.exitCode = 1
  }
  exitSoon()
}
