import { CompiledQuery, Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import type { Pool } from './pool/create-pool.ts'
import { reportUnknownOutcome } from './pool/unknown-outcome.ts'
import type { DB } from './tables.generated.ts'
import { typesWithStoredTimes } from './type-parsers.ts'

/**
 * The type of the first parameter of query functions: the pool or the use case's transaction. In backups, the parameter
 * is a `pg` client instead.
 */
export type Database = Kysely<DB>

export interface PoolWatch {
  /** Called with the number of milliseconds that a caller waited for a connection. */
  waited?: (ms: number) => void
  /** Runs a statement by calling `run`. `name` is the statement's name if the statement is prepared by name. */
  statement?: (text: string, name: string | undefined, run: () => unknown) => unknown
}

/**
 * A prefix for statements that PostgreSQL must plan at each execution. Otherwise, PostgreSQL may use a generic plan,
 * which may scan the table if only some values are selective.
 */
export const plannedEachTime = '/* planned each time */'

/**
 * Marks a statement that can return thousands of rows. The driver returns its rows as arrays and times as strings,
 * which saves most of the conversion.
 */
export const rowsAsArrays = '/* rows as arrays */'

const asArrays = { rowMode: 'array', types: typesWithStoredTimes }

/** One use of a connection, from the request for the connection until its release. */
export interface ConnectionUse {
  /** Called when the caller has acquired the connection. */
  connected?(): void
  /** Called when the caller has released the connection or could not acquire one. */
  done(): void
  /** Runs a statement by calling `send`. If omitted, the connection sends each statement directly. */
  run?(client: pg.PoolClient, send: () => Promise<unknown>): Promise<unknown>
  mustClose?: boolean
  /** Returns the text to send for a statement. If omitted, the connection sends the statement's own text. */
  rewrite?: ((text: string) => string) | undefined
}

/**
 * Returns connections that name their statements, so that each connection prepares a statement only once. Through a
 * pooler, statements are unnamed.
 */
export interface Connector {
  /** `requestedAt` is the `performance.now()` time of the request for the connection. */
  connect(use: ConnectionUse, requestedAt: number): Promise<PostgresPoolClient>
}

export function createDatabase(pool: Pool, watch: PoolWatch = {}): Database {
  const { connect } = createConnector(pool, watch)
  const use = { done: () => {} }
  return databaseOf(pool, () => connect(use, performance.now()))
}

/** Creates a Kysely instance that uses the pool's connections, which `connect` returns. */
export const databaseOf = (pool: Pool, connect: () => Promise<PostgresPoolClient>): Database =>
  new Kysely<DB>({
    dialect: new PostgresDialect({ pool: { options: pool.options, connect, end: () => pool.end() } as PostgresPool }),
  })

export async function query<Row>(db: Database, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  return rows
}

/** All databases on one pool must share the connector, because it assigns the names of prepared statements. */
export function createConnector(pool: Pool, watch: PoolWatch = {}): Connector {
  const nameOf = pool.isPooler ? () => undefined : nameStatements(pool.maxNamed)
  const clients = new WeakMap<pg.PoolClient, NamingClient>()
  return {
    async connect(use, requestedAt) {
      let client: pg.PoolClient
      try {
        client = await (pool.responseWatch ?? pool).connect()
      } catch (error) {
        use.done()
        throw error
      }
      use.connected?.()
      watch.waited?.(performance.now() - requestedAt)
      let naming = clients.get(client)
      if (naming === undefined) {
        naming = namingClient(client, { nameOf, watch, beginning: pool.beginning })
        clients.set(client, naming)
      }
      naming.use = use
      return naming
    },
  }
}

type NamingClient = PostgresPoolClient & { use: ConnectionUse | undefined }

interface NamingOptions {
  /** Returns the name of a prepared statement, or undefined if the statement is not prepared by name. */
  nameOf: (text: string) => string | undefined
  watch: PoolWatch
  beginning: string
}

function namingClient(client: pg.PoolClient, { nameOf, watch, beginning }: NamingOptions): NamingClient {
  const { statement = (_text, _name, run) => run() } = watch
  const run = (text: unknown, values?: readonly unknown[]): unknown => {
    // Only strings with values are sent with a name. Cursors are objects, and BEGIN and COMMIT have no values.
    if (typeof text !== 'string') return client.query(text as string, values as unknown[])
    if (values === undefined || values.length === 0) {
      const sent = beginning !== '' && isBegin(text) ? `${text}; ${beginning}` : text
      return statement(text, undefined, () => client.query(sent, values as unknown[]))
    }
    const name = nameOf(text)
    const form = text.includes(rowsAsArrays) ? asArrays : undefined
    return statement(text, name, () => client.query({ name, text, values, ...form } as pg.QueryArrayConfig))
  }
  const send = reportUnknownOutcome(client, run)
  const naming = {
    use: undefined as ConnectionUse | undefined,
    query(text: unknown, values?: readonly unknown[]) {
      const { use } = naming
      const sent = use?.rewrite !== undefined && typeof text === 'string' ? use.rewrite(text) : text
      if (use?.run === undefined) return send(sent, values)
      return use.run(client, () => send(sent, values) as Promise<unknown>)
    },
    release(isDiscarded?: boolean) {
      const { use } = naming
      naming.use = undefined
      try {
        client.release(isDiscarded || use?.mustClose)
      } finally {
        use?.done()
      }
    },
  }
  return naming as unknown as NamingClient
}

const isBegin = (text: string): boolean => /^(begin|start transaction)\b/.test(text)

/**
 * Matches statements that return every column of a table, such as those of the authentication library. After a
 * migration adds a column, PostgreSQL rejects such a statement (SQLSTATE 0A000) on each connection that has prepared
 * it.
 */
const returningAllColumns = /\bselect ("\w+"\.)?\* from "|\breturning \*/

/** Returns a function that assigns names to at most `maxNamed` statements. */
function nameStatements(maxNamed: number): (text: string) => string | undefined {
  const names = new Map<string, string>()
  return (text) => {
    if (text.startsWith(plannedEachTime)) return undefined
    let name = names.get(text)
    if (name === undefined && names.size < maxNamed && !returningAllColumns.test(text)) {
      name = `m${names.size}`
      names.set(text, name)
    }
    return name
  }
}

/** Runs `work` in `db` if `db` is a transaction. Otherwise, runs `work` in a new transaction. */
export const inTransaction = <Result>(
  db: Database,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> => (db.isTransaction ? work(db) : db.transaction().execute(work))
