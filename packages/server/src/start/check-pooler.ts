import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import type { Config } from '../config.ts'
import { sessionSettings } from '../db/pool/session-settings.ts'
import { StartError } from '../start-error.ts'
import type { DatabaseAccess } from './database-urls.ts'

const PROBES = 10
const CONNECT_TIMEOUT_MS = 30_000

/**
 * Throws a StartError if connections that must be direct go through a pooler in transaction mode. Also throws one if
 * DATABASE_URL and DATABASE_DIRECT_URL point to different databases. Warns if the pooler for requests does not pass on
 * session settings.
 */
export async function checkPooler(
  { connection, requests }: DatabaseAccess,
  { statementTimeout, databaseDirectUrl }: Config,
  log: FastifyBaseLogger,
): Promise<void> {
  if (await sharesConnections(connection)) {
    throw new StartError(
      databaseDirectUrl === undefined
        ? 'DATABASE_URL points to a pooler in transaction mode. Set DATABASE_DIRECT_URL to a URL that bypasses the pooler, for migrations, locks, jobs, and notifications.'
        : 'DATABASE_DIRECT_URL points to a pooler in transaction mode. Set it to a URL that bypasses the pooler.',
    )
  }
  if (requests.direct === undefined) return
  if ((await identityOf(requests.connection)) !== (await identityOf(connection)))
    throw new StartError(
      'DATABASE_URL and DATABASE_DIRECT_URL point to different databases or to different database servers. Both must point to the same database on the same server.',
    )
  const statements = await missingSettings(requests.connection, statementTimeout)
  if (statements.length > 0)
    log.warn(
      { statements },
      'the pooler does not pass session settings to the database: run these statements once, then make the pooler reconnect',
    )
}

/**
 * Checks whether a pooler in transaction mode is between the server and the database. A client sets a value on its
 * connection. If another client sees this value, both share the connection. If the first client no longer sees it,
 * there are two possible causes. The pooler has assigned another connection to this client, or it resets connections
 * after each transaction (PgBouncer's `server_reset_query_always`).
 */
function sharesConnections(connection: pg.ClientConfig): Promise<boolean> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    // When a client connects, a database reports the ID of the backend process, but a pooler invents an ID.
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

/** Returns statements that make the missing session settings the defaults of new connections. */
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
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}
