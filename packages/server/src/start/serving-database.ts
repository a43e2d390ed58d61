import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { startEmbedded } from '../db/embedded/embedded.ts'
import { checkPooler } from './check-pooler.ts'
import { connectionsNeeded } from './database-connections.ts'
import { assertConsistentUrls, type DatabaseAccess, databaseAccess } from './database-urls.ts'
import { waitForDatabase } from './wait-for-database.ts'

export interface ServingDatabase extends DatabaseAccess {
  stop(): Promise<void>
}

export interface ServingDatabaseOptions {
  config: Config
  log: FastifyBaseLogger
  /** Called when the embedded database has exited and could not be restarted. */
  onLost: (reason: string) => void
  /** A signal that, when aborted, ends the wait for an external database. */
  signal: AbortSignal
}

/**
 * Resolves once the database responds. Throws a StartError if settings are inconsistent or if an external database
 * cannot be used. Throws an EmbeddedError if the embedded database cannot be used.
 */
export async function openServingDatabase(options: ServingDatabaseOptions): Promise<ServingDatabase> {
  const { config, log, signal } = options
  assertConsistentUrls(config)
  if (config.databaseUrl === undefined) return openEmbedded(options)
  const access = databaseAccess(config)
  await waitForDatabase({ name: databaseName(config), connection: access.connection }, log, signal)
  if (access.requests.direct !== undefined)
    await waitForDatabase({ name: 'DATABASE_URL', connection: access.requests.connection }, log, signal)
  await checkPooler(access, config, log)
  return { ...access, stop: async () => {} }
}

const MIN_CONNECTIONS = 100
/** The number of connections for the command line, and for operators who query the database. */
const OTHER_CONNECTIONS = 20
const MAX_RESTARTS = 5
/** If the database ran longer than this number of milliseconds before it exited, its earlier failures do not count. */
const STABLE_MS = 60_000

/** Starts the embedded database, and restarts it after an unexpected exit. The connection settings stay the same. */
async function openEmbedded({ config, log, onLost }: ServingDatabaseOptions): Promise<ServingDatabase> {
  let stopping = false
  let failures = 0
  let startedAt = 0
  const start = async () => {
    const started = await startEmbedded({
      dataFolder: config.dataFolder,
      archive: config.archiveFolder,
      settings: {
        max_connections: String(Math.max(MIN_CONNECTIONS, connectionsNeeded(config) + OTHER_CONNECTIONS)),
      },
      log: { info: log.info.bind(log), warn: log.warn.bind(log), error: log.error.bind(log) },
      onExit: (reason) => void restart(reason),
    })
    startedAt = performance.now()
    return started
  }
  const restart = async (exit: string): Promise<void> => {
    let reason = exit
    log.error({ reason }, 'the embedded database exited')
    if (performance.now() - startedAt > STABLE_MS) failures = 0
    while (!stopping && failures < MAX_RESTARTS) {
      await sleep(2 ** failures++ * 100)
      if (stopping) return
      try {
        current = start()
        await current
        return
      } catch (error) {
        log.error({ err: error }, 'failed to restart the embedded database')
        reason = error instanceof Error ? error.message : String(error)
      }
    }
    if (!stopping) onLost(`the embedded database could not be restarted: ${reason}`)
  }

  let current = start()
  await current
  return {
    ...databaseAccess(config),
    async stop() {
      stopping = true
      await current.then(
        (embedded) => embedded.stop(),
        () => {},
      )
    },
  }
}

const databaseName = ({ databaseDirectUrl }: Config): string =>
  databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
