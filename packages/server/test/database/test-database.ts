import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { inject } from 'vitest'
import { createDatabase, type Database } from '../../src/db/database.ts'
import { createFairDatabase, type FairOptions } from '../../src/db/fair/user-database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createPool } from '../../src/db/pool/create-pool.ts'
import { onWorkers } from '../cluster/cluster-databases.ts'
import { administer, atDatabase, dropDatabase } from '../global-setup.ts'

export interface TestDatabase {
  db: Database
  connection: pg.ClientConfig
  url: string
  drop(): Promise<void>
}

function urlOf({ connectionString, host = '', port, user = '', database }: pg.ClientConfig): string {
  return connectionString ?? `postgresql:///${database}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`
}

/** On a slow machine, the last of a hundred concurrent requests may wait a long time for a connection. */
const longTimeout = { connectionTimeoutMillis: 60_000 }

/**
 * Creates a database from the template or, with `isPlain`, a database that is not distributed even on a cluster. With
 * `fairness`, users share the database's connections as on a server.
 */
export async function createTestDatabase(fairness?: FairOptions, isPlain = false): Promise<TestDatabase> {
  const { connection, template } = inject('testDatabase')
  const name = `muster_test_${randomUUID().replaceAll('-', '')}`
  if (isPlain) await administer(connection, `create database "${name}"`)
  else {
    await onWorkers((worker) => administer(worker, `create database "${name}" template "${template}"`))
    // Copying the files takes half as much CPU time as writing every page to the WAL.
    await administer(connection, `create database "${name}" template "${template}" strategy file_copy`)
  }
  const ownConnection = { ...atDatabase(connection, name), ...longTimeout }
  const pool = createPool({ connection: ownConnection, size: 10, statementTimeout: 0 })
  const db = fairness === undefined ? createDatabase(pool) : createFairDatabase(pool, {}, fairness)
  if (isPlain) await migrate(db)
  return {
    db,
    connection: ownConnection,
    url: urlOf(ownConnection),
    async drop() {
      await db.destroy()
      await dropDatabase(connection, name)
    },
  }
}
