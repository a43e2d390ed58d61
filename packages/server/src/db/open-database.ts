import type { FastifyBaseLogger } from 'fastify'
import { createDatabase, type Database, type PoolWatch } from './database.ts'
import { createFairDatabase, type FairOptions } from './fair/user-database.ts'
import { createPool, type DatabaseOptions, type Pool } from './pool/create-pool.ts'

export interface OpenDatabaseOptions extends DatabaseOptions {
  watch?: (pool: Pool) => PoolWatch
  /** Divides the connections among users. Omit it if only the server itself uses the connections. */
  fairness?: FairOptions | undefined
}

export function openDatabase({ watch, fairness, ...options }: OpenDatabaseOptions, log: FastifyBaseLogger): Database {
  const pool = createPool(options)
  pool.on('error', ({ message }) => {
    // Only the message is logged, because the error object includes the whole client.
    if (!pool.ending) log.warn({ reason: message }, 'a database connection broke and will be replaced')
  })
  const watched = watch?.(pool) ?? {}
  return fairness === undefined ? createDatabase(pool, watched) : createFairDatabase(pool, watched, fairness)
}
