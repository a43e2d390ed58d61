import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import type { Config } from '../config.ts'
import { clusterFolderOf } from '../db/embedded/cluster/cluster.ts'
import { connectionTo } from '../db/embedded/connection.ts'
import { startEmbedded } from '../db/embedded/embedded.ts'
import { StartError } from '../start-error.ts'
import { connectionsNeeded } from './connections.ts'
import type { DatabaseWays } from './pooler.ts'
import { checkPooler } from './pooler.ts'

/** The database that this server works on: given by URL, or the embedded one. */
export interface ServingDatabase extends DatabaseWays {
  stop(): Promise<void>
}

export interface ServingDatabaseOptions {
  config: Config
  log: FastifyBaseLogger
  /** The embedded database ended and could not be started again. */
  onLost: (reason: string) => void
  /** Gives up waiting for a database. */
  signal: AbortSignal
}

/** The database itself answers on all of them, but for requests where a pooler stands in front. */
export function waysToDatabase({ databaseUrl, databaseDirectUrl, dataFolder }: Config): DatabaseWays {
  if (databaseUrl === undefined) {
    const connection = connectionTo(clusterFolderOf(dataFolder))
    return { connection, requests: { connection } }
  }
  const connection = { connectionString: databaseDirectUrl ?? databaseUrl }
  if (databaseDirectUrl === undefined) return { connection, requests: { connection } }
  return { connection, requests: { connection: { connectionString: databaseUrl }, direct: connection } }
}

/** Resolves once the database answers and is of a version that Muster runs on. */
export async function openServingDatabase(options: ServingDatabaseOptions): Promise<ServingDatabase> {
  const { config, log, signal } = options
  if (config.databaseUrl === undefined) {
    if (config.databaseReadUrl !== undefined)
      throw new StartError('DATABASE_READ_URL is for a standby of the database of DATABASE_URL: set that as well.')
    if (config.databaseDirectUrl !== undefined)
      throw new StartError('DATABASE_DIRECT_URL is the way past a pooler that DATABASE_URL leads to: set that as well.')
    return openEmbedded(options)
  }
  if (config.archiveFolder !== undefined)
    throw new StartError(
      'MUSTER_ARCHIVE_DIR is for the embedded database, and DATABASE_URL names another one: archive that one by its own means, as the guide on point-in-time recovery says, and remove MUSTER_ARCHIVE_DIR.',
    )
  const ways = waysToDatabase(config)
  await waitForDatabase({ name: databaseName(config), connection: ways.connection }, log, signal)
  if (ways.requests.direct !== undefined)
    await waitForDatabase({ name: 'DATABASE_URL', connection: ways.requests.connection }, log, signal)
  await checkPooler(ways, config, log)
  return { ...ways, stop: async () => {} }
}

const LEAST_CONNECTIONS = 100
/** For the command line, and whoever looks at the database. */
const CONNECTIONS_OF_OTHERS = 20
const RESTARTS = 5
/** A database that served this long earns all its restarts anew. */
const STABLE_MS = 60_000

/** Starts the embedded database, and starts it again when it ends by itself. Its connection stays the same. */
async function openEmbedded({ config, log, onLost }: ServingDatabaseOptions): Promise<ServingDatabase> {
  let stopping = false
  let failures = 0
  let startedAt = 0
  const start = async () => {
    const started = await startEmbedded({
      dataFolder: config.dataFolder,
      archive: config.archiveFolder,
      settings: {
        max_connections: String(Math.max(LEAST_CONNECTIONS, connectionsNeeded(config) + CONNECTIONS_OF_OTHERS)),
      },
      log: { info: log.info.bind(log), warn: log.warn.bind(log), error: log.error.bind(log) },
      onExit: (reason) => void restart(reason),
    })
    startedAt = performance.now()
    return started
  }
  const restart = async (reason: string): Promise<void> => {
    log.error({ reason }, 'the embedded database ended; starting it again')
    if (performance.now() - startedAt > STABLE_MS) failures = 0
    while (!stopping && failures < RESTARTS) {
      await sleep(2 ** failures++ * 100)
      if (stopping) return
      try {
        current = start()
        await current
        return
      } catch (error) {
        log.error({ err: error }, 'the embedded database does not start')
      }
    }
    if (!stopping) onLost(`the embedded database ended and does not start again: ${reason}`)
  }

  let current = start()
  await current
  return {
    ...waysToDatabase(config),
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

/** A database by the setting that names it. */
interface Named {
  name: string
  connection: pg.ClientConfig
}

const WAIT_MS = 60_000
const RETRY_MS = 500
const LEAST_VERSION = 150_000
const FIRST_UNKNOWN_VERSION = 190_000

/** A database that starts at the same time as the server is waited for; one that turns the server away is not. */
async function waitForDatabase(named: Named, log: FastifyBaseLogger, signal: AbortSignal): Promise<void> {
  const began = performance.now()
  for (let tries = 0; ; tries++) {
    try {
      return await assertSuitable(named, log)
    } catch (error) {
      if (error instanceof StartError) throw error
      const { code, message } = error as NodeJS.ErrnoException
      if (!isPassing(code)) throw new StartError(`${named.name}: ${message}`, { cause: error })
      if (performance.now() - began > WAIT_MS) {
        throw new StartError(`${named.name}: no database answers there (${message || code}).`, { cause: error })
      }
      if (tries % 10 === 0) log.warn({ err: error }, 'waiting for the database')
      await sleep(RETRY_MS, undefined, { signal })
    }
  }
}

const passingCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH'])

/** 57P03: starting or shutting down. 53300: no connection is free. */
const isPassing = (code: string | undefined): boolean =>
  code === undefined || passingCodes.has(code) || code === '57P03' || code === '53300'

async function assertSuitable({ name: url, connection }: Named, log: FastifyBaseLogger): Promise<void> {
  const client = new pg.Client({ ...connection, application_name: 'muster', connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const setting = async (name: string): Promise<string> =>
      (await client.query<{ value: string }>('select current_setting($1) as value', [name])).rows[0]?.value ?? ''
    const version = Number(await setting('server_version_num'))
    if (version < LEAST_VERSION || version >= FIRST_UNKNOWN_VERSION) {
      throw new StartError(`${url} is a PostgreSQL ${await setting('server_version')}; Muster runs on 15 to 18.`)
    }
    if ((await setting('server_encoding')) !== 'UTF8') {
      throw new StartError(`The database of ${url} is encoded in ${await setting('server_encoding')}, not in UTF8.`)
    }
    for (const name of ['fsync', 'full_page_writes']) {
      if ((await setting(name)) === 'off')
        log.warn(`the database runs with ${name} off: a crash can lose or damage data`)
    }
  } finally {
    await client.end().catch(() => {})
  }
}
