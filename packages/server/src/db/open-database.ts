import type { FastifyBaseLogger } from 'fastify'
import {
  createDatabase,
  createPool,
  type Database,
  type DatabaseOptions,
  type Pool,
  type PoolWatch,
} from './database.ts'
import { createFairDatabase, type FairOptions } from './fair/user-database.ts'

export interface OpenDatabaseOptions extends DatabaseOptions {
  /** Told what its connections are used for. */
  watch?: (pool: Pool) => PoolWatch
  /** Shares the connections out among users. Omitted: the server alone uses them. */
  fairness?: FairOptions | undefined
}

/** A database whose broken connections are told of in the log. */
export function openDatabase({ watch, fairness, ...options }: OpenDatabaseOptions, log: FastifyBaseLogger): Database {
  const pool = createPool(options)
  pool.on('error', ({ message }) => {
    // The error itself carries the connection with all that it knows.
    if (!pool.ending) log.warn({ reason: message }, 'a connection to the database broke and will be replaced')
  })
  const watched = watch?.(pool) ?? {}
  return fairness === undefined ? createDatabase(pool, watched) : createFairDatabase(pool, watched, fairness)
}
