import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import type { Config } from '../config.ts'
import type { DatabaseOptions } from '../db/database.ts'
import { sessionSettings } from '../db/pool/session-settings.ts'
import { StartError } from '../start-error.ts'

/** How the server gets to its database. */
export interface DatabaseWays {
  /** For whatever needs a connection to itself: to hear of changes, to hold a lock, to bring the database to this release. */
  connection: pg.PoolConfig
  /** For requests. */
  requests: Pick<DatabaseOptions, 'connection' | 'direct'>
}

const PROBES = 10
const CONNECTED_WITHIN_MS = 30_000

/** Stops the start where a pooler stands in the way, and says what one that is meant leaves out. */
export async function checkPooler(
  { connection, requests }: DatabaseWays,
  { statementTimeout, databaseDirectUrl }: Config,
  log: FastifyBaseLogger,
): Promise<void> {
  if (await sharesConnections(connection)) {
    throw new StartError(
      databaseDirectUrl === undefined
        ? 'DATABASE_URL leads to a pooler that gives each transaction another connection. Set DATABASE_DIRECT_URL to the database itself, for migrations, locks, jobs and to hear of changes.'
        : 'DATABASE_DIRECT_URL leads to a pooler that gives each transaction another connection, and not to the database itself.',
    )
  }
  if (requests.direct === undefined) return
  if ((await identityOf(requests.connection)) !== (await identityOf(connection)))
    throw new StartError('DATABASE_URL and DATABASE_DIRECT_URL lead to different databases.')
  const statements = await missingSettings(requests.connection, statementTimeout)
  if (statements.length > 0)
    log.warn(
      { statements },
      'settings do not reach the database through its pooler: run these statements once, then have the pooler reconnect',
    )
}

/**
 * Whether another client sees what one has set on its connection: then the two take turns on it. Or whether it sees it no more itself:
 * then a pooler clears the connection after each transaction (PgBouncer's `server_reset_query_always`).
 */
function sharesConnections(connection: pg.ClientConfig): Promise<boolean> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    // A database tells its clients the process id itself, a pooler one that it made up.
    if (rows[0]!.pid === (client as unknown as { processID: number }).processID) return false
    return withClient(connection, async (other) => {
      for (let probe = 0; probe < PROBES; probe++) {
        const mark = `${process.pid} ${Date.now()} ${probe}`
        await client.query("select set_config('muster.probe', $1, false)", [mark])
        if ((await markOn(client)) !== mark || (await markOn(other)) === mark) return true
      }
      return false
    })
  })
}

async function markOn(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>("select current_setting('muster.probe', true) as mark")
  return rows[0]!.mark
}

const identityOf = (connection: pg.ClientConfig): Promise<string> =>
  withClient(connection, async (client) => {
    const { rows } = await client.query('select current_database(), pg_postmaster_start_time()::text')
    return JSON.stringify(rows)
  })

/** Statements that have the database give new connections what the server would set on them. */
const missingSettings = (connection: pg.ClientConfig, statementTimeout: number): Promise<string[]> =>
  withClient(connection, async (client) => {
    const wanted = sessionSettings(statementTimeout)
    const { rows } = await client.query<{ statement: string }>(
      `select format('alter role %I in database %I set %s = %s', current_user, current_database(), name, wanted) as statement
       from jsonb_each_text($1) as wanted (name, wanted) join pg_settings using (name) where setting <> wanted order by name`,
      [JSON.stringify(wanted)],
    )
    return rows.map(({ statement }) => statement)
  })

async function withClient<Result>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    ...connection,
    application_name: 'muster',
    connectionTimeoutMillis: CONNECTED_WITHIN_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}
