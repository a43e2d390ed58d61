import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { createWorkerRouter } from '../db/cluster/worker-router.ts'
import type { Database } from '../db/database.ts'
import { openDatabase } from '../db/open-database.ts'
import { createReadRouter, type ReadRouter } from '../db/replica/read-router.ts'
import type { Metrics } from '../metrics.ts'
import type { Tracing } from '../tracing/spans.ts'
import { traceStatements } from '../tracing/statement-spans.ts'
import { EVENT_ID_CONNECTIONS } from './database-connections.ts'
import type { DatabaseAccess } from './database-urls.ts'

export interface ReadingOptions {
  config: Config
  db: Database
  /** The connection options of `db`. */
  requests: DatabaseAccess['requests']
  metrics: Metrics
  tracing: Tracing | undefined
  log: FastifyBaseLogger
}

/**
 * Returns undefined if neither DATABASE_READ_URL nor DATABASE_URLS is set. The server starts even if these databases
 * are unreachable.
 */
export function openReadRouter(options: ReadingOptions): ReadRouter | undefined {
  const { config, db, requests, metrics, tracing, log } = options
  const { databaseReadUrl, databaseUrls, databaseConnections, statementTimeout } = config
  const { databaseSilence: responseTimeout } = config
  const onChoice = metrics.counter('listReads')
  const watch = () => (tracing === undefined ? {} : { statement: traceStatements(tracing) })
  const shared = { statementTimeout, responseTimeout, watch, fairness: config }
  if (databaseReadUrl !== undefined) {
    const connection = { connectionString: databaseReadUrl }
    return createReadRouter({
      primary: db,
      openPool: (check, size = databaseConnections) => openDatabase({ ...shared, connection, size, check }, log),
      log,
      onChoice,
    })
  }
  if (databaseUrls.length === 0) return undefined
  return createWorkerRouter({
    coordinator: db,
    openPools: databaseUrls.map((connectionString) => ({ rewriteQuery, ...options }) => {
      const connection = { connectionString }
      const fairness = { ...config, rewriteQuery }
      return openDatabase({ ...shared, ...options, connection, size: databaseConnections, fairness }, log)
    }),
    openEventIds: () =>
      openDatabase({ ...requests, statementTimeout, responseTimeout, size: EVENT_ID_CONNECTIONS }, log),
    log,
    onChoice,
  })
}
