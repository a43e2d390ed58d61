import { CompiledQuery, Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { endSilentConnections } from './silent-connections.ts'
import type { DB } from './tables.generated.ts'

/** What a query function takes first: the pool or a transaction, whichever the use case holds. */
export type Database = Kysely<DB>

export interface DatabaseOptions {
  /** Where PostgreSQL is: a connection string or the parts of one. */
  connection: pg.PoolConfig
  /** Connections at most. */
  size: number
  /** Milliseconds after which PostgreSQL gives up on a statement; 0 for never. */
  statementTimeout: number
}

/** Distinct statements that get a name. A list has one statement per combination of filters; the rare ones go unnamed. */
const MAX_NAMED = 2_000

// Made here rather than drawn from PostgreSQL's own settings, so that a database given by URL behaves like the embedded one.
// Workers started for one page cost more than they save, and take processors from other requests.
const sessionSettings = (statementTimeout: number): string =>
  `set jit = off; set max_parallel_workers_per_gather = 0; set random_page_cost = 1.1; set statement_timeout = ${statementTimeout}; set idle_in_transaction_session_timeout = 30000; set timezone = 'UTC'`

export function createPool({ connection, size, statementTimeout }: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionTimeoutMillis: 5_000,
    ...connection,
    max: size,
    idleTimeoutMillis: 30_000,
    application_name: 'muster',
    onConnect: async (client) => {
      // A connection that the database ends while nobody uses it, or on its way out, is told by the next query.
      client.on('error', () => {})
      await client.query(sessionSettings(statementTimeout))
    },
  })
  pool.on('error', () => {})
  if (statementTimeout > 0) endSilentConnections(pool, connection)
  return pool
}

/**
 * Begins a statement that is planned for its values each time. A named one is planned without them after a few runs, which is
 * a good plan where every value leads along the same index, and a scan of everything where one filter is rare and another not.
 */
export const plannedEachTime = '/* planned each time */'

/** Kysely on the pool, each statement prepared once per connection under a name of its own. */
export function createDatabase(pool: pg.Pool): Database {
  const names = new Map<string, string>()
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: namingPool(pool, names) }) })
}

/** A statement written out, with $1, $2, … for its parameters. */
export async function query<Row>(db: Database, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  return rows
}

function namingPool(pool: pg.Pool, names: Map<string, string>): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      let naming = clients.get(client)
      if (naming === undefined) {
        naming = namingClient(client, names)
        clients.set(client, naming)
      }
      return naming
    },
    end: () => pool.end(),
  }
}

function namingClient(client: pg.PoolClient, names: Map<string, string>): PostgresPoolClient {
  const run = (text: unknown, values?: readonly unknown[]): unknown => {
    // BEGIN and COMMIT come without values, cursors as objects: neither gains from a name.
    if (typeof text !== 'string' || values === undefined || values.length === 0) {
      return client.query(text as string, values as unknown[])
    }
    const name = nameOf(text, names)
    return name === undefined ? client.query(text, [...values]) : client.query({ name, text, values: [...values] })
  }
  return { query: run as PostgresPoolClient['query'], release: () => client.release() } as PostgresPoolClient
}

function nameOf(text: string, names: Map<string, string>): string | undefined {
  if (text.startsWith(plannedEachTime)) return undefined
  let name = names.get(text)
  if (name === undefined && names.size < MAX_NAMED) {
    name = `m${names.size}`
    names.set(text, name)
  }
  return name
}
