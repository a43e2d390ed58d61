import { CompiledQuery, Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { tellLostOutcome } from './pool/lost-outcome.ts'
import { sessionSettings, settingStatements, utc } from './pool/session-settings.ts'
import { endSilence, type Silence } from './pool/silence.ts'
import type { DB } from './tables.generated.ts'
import { types, typesWithStoredTimes } from './types.ts'

/** What a query function takes first: the pool or a transaction, whichever the use case holds. */
export type Database = Kysely<DB>

export interface DatabaseOptions {
  /** Where PostgreSQL is: a connection string or the parts of one. */
  connection: pg.PoolConfig
  /** Connections at most. */
  size: number
  /** Milliseconds after which PostgreSQL gives up on a statement; 0 for never. */
  statementTimeout: number
  /**
   * The way past a pooler, where `connection` leads to one that gives each transaction another connection: nothing is kept on
   * those then, neither settings nor prepared statements.
   */
  direct?: pg.PoolConfig
  /** Milliseconds for which the database may keep silent while somebody waits for it. Left away: until TCP gives up. */
  silence?: number | undefined
  /** Told when the database falls silent, and when it is heard again. */
  onSilence?: ((isSilent: boolean) => void) | undefined
  /** Each connection passes it before it is used; one that it rejects is not. */
  check?: ((client: pg.ClientBase) => Promise<void>) | undefined
}

/** Told what a pool is used for. */
export interface PoolWatch {
  /** A connection was waited for so many milliseconds. */
  waited?: (ms: number) => void
  /** Runs a statement; `name` is that under which its connection has prepared it. */
  statement?: (text: string, name: string | undefined, run: () => unknown) => unknown
}

const runUnwatched: NonNullable<PoolWatch['statement']> = (_text, _name, run) => run()

/** Connections that nobody waits for in vain. */
export class Pool extends pg.Pool {
  readonly silence: Silence | undefined
  readonly isPooler: boolean

  constructor(options: pg.PoolConfig, { connection, direct = connection, silence, onSilence }: DatabaseOptions) {
    super(options)
    this.isPooler = direct !== connection
    // Through a pooler the question would wait for its turn behind what it is about.
    if (silence !== undefined)
      this.silence = endSilence(this, { connection: direct, mostMs: silence, onChange: onSilence })
  }

  override end(): Promise<void> {
    this.silence?.close()
    return super.end()
  }
}

const CONNECTED_WITHIN_MS = 5_000
/** Distinct statements that get a name. A list has one statement per combination of filters; the rare ones go unnamed. */
const MAX_NAMED = 2_000

export function createPool(options: DatabaseOptions): Pool {
  const { connection, direct, size, statementTimeout } = options
  const toSet = direct === undefined ? `${settingStatements(sessionSettings(statementTimeout))}; ${utc}` : utc
  const parts: pg.PoolConfig = {
    connectionTimeoutMillis: CONNECTED_WITHIN_MS,
    ...connection,
    max: size,
    idleTimeoutMillis: 30_000,
    application_name: 'muster',
    types,
    onConnect: async (client) => {
      // A connection that the database ends while nobody uses it, or on its way out, is told by the next query.
      client.on('error', () => {})
      await client.query({ text: toSet, query_timeout: CONNECTED_WITHIN_MS } as pg.QueryConfig)
      await options.check?.(client)
    },
  }
  const pool = new Pool(parts, options)
  pool.on('error', () => {})
  return pool
}

/**
 * Begins a statement that is planned for its values each time. A named one is planned without them after a few runs, which is
 * a good plan where every value leads along the same index, and a scan of everything where one filter is rare and another not.
 */
export const plannedEachTime = '/* planned each time */'

/**
 * Stands before a statement whose rows are wanted as arrays of what is selected, in its order, and times as they are stored: for
 * thousands of rows that are made into something else at once.
 */
export const rowsAsArrays = '/* rows as arrays */'

const asArrays = { rowMode: 'array', types: typesWithStoredTimes }

/** What a connection is used for, from the moment it is asked for until it is given back. */
export interface ConnectionUse {
  /** Called when the connection is there. */
  connected?(): void
  /** Called when the connection was given back, or could not be had. */
  done(): void
  /** Runs a statement that `send` sends. Omitted: it is sent, and that is all. */
  run?(client: pg.PoolClient, send: () => Promise<unknown>): Promise<unknown>
  /** Whether the connection must be closed instead of given back. */
  isSpoiled?: boolean
}

/** Connections of a pool, whose statements are prepared once per connection under names of their own; without names by a pooler. */
export interface Connector {
  /** `asked`: when the connection was asked for, by `performance.now()`. */
  connect(use: ConnectionUse, asked: number): Promise<PostgresPoolClient>
}

/** Kysely on the pool. */
export function createDatabase(pool: Pool, watch: PoolWatch = {}): Database {
  const { connect } = createConnector(pool, watch)
  const use = { done: () => {} }
  return databaseOf(pool, () => connect(use, performance.now()))
}

/** Kysely on connections of the pool that `connect` gives. */
export const databaseOf = (pool: Pool, connect: () => Promise<PostgresPoolClient>): Database =>
  new Kysely<DB>({
    dialect: new PostgresDialect({ pool: { options: pool.options, connect, end: () => pool.end() } as PostgresPool }),
  })

/** A statement written out, with $1, $2, … for its parameters. */
export async function query<Row>(db: Database, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  return rows
}

/** All databases on one pool must share a connector: what a connection has prepared is known by names that the connector gives. */
export function createConnector(pool: Pool, watch: PoolWatch = {}): Connector {
  const names = pool.isPooler ? undefined : new Map<string, string>()
  const clients = new WeakMap<pg.PoolClient, NamingClient>()
  return {
    async connect(use, asked) {
      let client: pg.PoolClient
      try {
        client = await (pool.silence ?? pool).connect()
      } catch (error) {
        use.done()
        throw error
      }
      use.connected?.()
      watch.waited?.(performance.now() - asked)
      let naming = clients.get(client)
      if (naming === undefined) {
        naming = namingClient(client, names, watch)
        clients.set(client, naming)
      }
      naming.use = use
      return naming
    },
  }
}

type NamingClient = PostgresPoolClient & { use: ConnectionUse | undefined }

function namingClient(
  client: pg.PoolClient,
  names: Map<string, string> | undefined,
  { statement = runUnwatched }: PoolWatch,
): NamingClient {
  const run = (text: unknown, values?: readonly unknown[]): unknown => {
    // BEGIN and COMMIT come without values, cursors as objects: neither gains from a name.
    if (typeof text !== 'string') return client.query(text as string, values as unknown[])
    if (values === undefined || values.length === 0) {
      return statement(text, undefined, () => client.query(text, values as unknown[]))
    }
    const name = names && nameOf(text, names)
    const form = text.includes(rowsAsArrays) ? asArrays : undefined
    return statement(text, name, () => client.query({ name, text, values, ...form } as pg.QueryArrayConfig))
  }
  const send = tellLostOutcome(client, run)
  const naming = {
    use: undefined as ConnectionUse | undefined,
    query(text: unknown, values?: readonly unknown[]) {
      const { use } = naming
      if (use?.run === undefined) return send(text, values)
      return use.run(client, () => send(text, values) as Promise<unknown>)
    },
    release(isDiscarded?: boolean) {
      const { use } = naming
      naming.use = undefined
      try {
        client.release(isDiscarded || use?.isSpoiled)
      } finally {
        use?.done()
      }
    },
  }
  return naming as unknown as NamingClient
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
