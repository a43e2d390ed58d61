import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { openDatabase } from '../db/open-database.ts'
import { createReadRouter, type ReadRouter } from '../db/replica/read-router.ts'
import type { Metrics } from '../metrics.ts'
import { traceStatements } from '../tracing/statement-spans.ts'
import type { Tracing } from '../tracing/tracing.ts'

export interface ReadingOptions {
  config: Config
  db: Database
  metrics: Metrics
  tracing: Tracing | undefined
  log: FastifyBaseLogger
}

/**
 * Opens the replica of DATABASE_READ_URL. Returns undefined if the setting is not set. The server starts even if the
 * replica is unreachable.
 */
export function openReadRouter({ config, db, metrics, tracing, log }: ReadingOptions): ReadRouter | undefined {
  const { databaseReadUrl, databaseConnections, statementTimeout, databaseSilence: responseTimeout } = config
  const onChoice = metrics.counter('listReads')
  if (databaseReadUrl === undefined) return undefined
  const connection = { connectionString: databaseReadUrl }
  const watch = () => (tracing === undefined ? {} : { statement: traceStatements(tracing) })
  return createReadRouter({
    primary: db,
    openPool: (check, size = databaseConnections) =>
      openDatabase({ connection, size, statementTimeout, responseTimeout, check, watch, fairness: config }, log),
    log,
    onChoice,
  })
}
