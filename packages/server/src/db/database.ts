import { CompiledQuery, Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { tellLostOutcome } from './lost-outcome.ts'
import { sessionSettings, settingStatements, utc } from './session-settings.ts'
import { endSilence, type Silence } from './silence.ts'
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

/** Kysely on the pool, each statement prepared once per connection under a name of its own; without one by a pooler. */
export function createDatabase(pool: Pool, watch: PoolWatch = {}): Database {
  const names = pool.isPooler ? undefined : new Map<string, string>()
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: namingPool(pool, names, watch) }) })
}

/** A statement written out, with $1, $2, … for its parameters. */
export async function query<Row>(db: Database, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  return rows
}

function namingPool(pool: Pool, names: Map<string, string> | undefined, watch: PoolWatch): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    async connect() {
      const asked = performance.now()
      const client = await (pool.silence ?? pool).connect()
      watch.waited?.(performance.now() - asked)
      let naming = clients.get(client)
      if (naming === undefined) {
        naming = namingClient(client, names, watch)
        clients.set(client, naming)
      }
      return naming
    },
    end: () => pool.end(),
  }
}

function namingClient(
  client: pg.PoolClient,
  names: Map<string, string> | undefined,
  { statement = runUnwatched }: PoolWatch,
): PostgresPoolClient {
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
  return {
    query: tellLostOutcome(client, run) as PostgresPoolClient['query'],
    release: (isDiscarded) => client.release(isDiscarded),
  } as PostgresPoolClient
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
