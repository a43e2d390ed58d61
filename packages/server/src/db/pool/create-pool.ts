import pg from 'pg'
import { types } from '../type-parsers.ts'
import { type ResponseWatch, watchResponses } from './response-watch.ts'
import { sessionSettings, settingStatements, skipEventIds, utc } from './session-settings.ts'

export interface DatabaseOptions {
  connection: pg.PoolConfig
  size: number
  /** The number of milliseconds after which PostgreSQL cancels a statement. 0 means no limit. */
  statementTimeout: number
  /** The maximum number of statements that each connection prepares by name. The default is 2,000. */
  maxNamed?: number
  /** Settings of each transaction, in addition to the `sessionSettings` of its session. */
  transactionSettings?: Readonly<Record<string, string>>
  /**
   * The direct connection to PostgreSQL, if `connection` leads to a pooler in transaction mode. Connections through
   * such a pooler lose most of their state, such as settings and prepared statements, between transactions.
   */
  direct?: pg.PoolConfig
  /**
   * The number of milliseconds without a response to a probe after which the database counts as unresponsive. If
   * undefined, the pool does not probe the database.
   */
  responseTimeout?: number | undefined
  /** Called with true when the database becomes unresponsive, and with false when it responds again. */
  onUnresponsive?: ((isUnresponsive: boolean) => void) | undefined
  /** Checks each connection before its first use. If the check rejects, the pool does not use the connection. */
  check?: ((client: pg.ClientBase) => Promise<void>) | undefined
}

/** The default of `maxNamed`. It is high, because each combination of list filters is a separate statement. */
const MAX_NAMED = 2_000

/** A pool whose `responseWatch` rejects callers while the database is unresponsive. */
export class Pool extends pg.Pool {
  readonly responseWatch: ResponseWatch | undefined
  readonly isPooler: boolean
  readonly maxNamed: number
  /** Statements that follow `begin` in each transaction. */
  readonly beginning: string

  constructor(options: pg.PoolConfig, database: DatabaseOptions) {
    super(options)
    const { connection, direct = connection, responseTimeout, onUnresponsive } = database
    const { maxNamed = MAX_NAMED, transactionSettings = {} } = database
    this.isPooler = direct !== connection
    this.maxNamed = maxNamed
    this.beginning = settingStatements(transactionSettings, 'set local')
    // A probe through the pooler would wait behind the statements that it should check.
    if (responseTimeout !== undefined)
      this.responseWatch = watchResponses(this, {
        connection: direct,
        timeoutMs: responseTimeout,
        onChange: onUnresponsive,
      })
  }

  override async end(): Promise<void> {
    await super.end()
    // Until the pool has ended, the watch can fail statements that a frozen database would never complete.
    this.responseWatch?.close()
  }
}

export const CONNECT_TIMEOUT_MS = 5_000

export function createPool(options: DatabaseOptions): Pool {
  const { connection, direct, size, statementTimeout } = options
  const statements = settingStatements(sessionSettings(statementTimeout))
  const setup = direct === undefined ? `${statements}; ${utc}; ${skipEventIds}` : utc
  const config: pg.PoolConfig = {
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...connection,
    max: size,
    idleTimeoutMillis: 30_000,
    application_name: 'muster',
    types,
    onConnect: async (client) => {
      // If the database closes the connection between two queries, the next query reports the error. Without a
      // listener, the `error` event would end the process.
      client.on('error', () => {})
      await client.query({ text: setup, query_timeout: CONNECT_TIMEOUT_MS } as pg.QueryConfig)
      await options.check?.(client)
    },
  }
  const pool = new Pool(config, options)
  pool.on('error', () => {})
  return pool
}
