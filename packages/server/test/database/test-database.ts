import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { inject } from 'vitest'
import { createDatabase, createPool, type Database } from '../../src/db/database.ts'
import { createFairDatabase, type FairOptions } from '../../src/db/fair/user-database.ts'
import { administer, atDatabase, dropDatabase } from '../global-setup.ts'

export interface TestDatabase {
  db: Database
  connection: pg.ClientConfig
  /** The same for another process. */
  url: string
  drop(): Promise<void>
}

function urlOf({ connectionString, host = '', port, user = '', database }: pg.ClientConfig): string {
  return connectionString ?? `postgresql:///${database}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`
}

/** Of a hundred requests at once, on a slow machine, the last waits for its turn. */
const patient = { connectionTimeoutMillis: 60_000 }

/** A migrated, empty database of the caller's own. `fairness`: its connections are shared out among users, as a server does it. */
export async function createTestDatabase(fairness?: FairOptions): Promise<TestDatabase> {
  const { connection, template } = inject('testDatabase')
  const name = `muster_test_${randomUUID().replaceAll('-', '')}`
  await administer(connection, `create database "${name}" template "${template}"`)
  const own = { ...atDatabase(connection, name), ...patient }
  const pool = createPool({ connection: own, size: 10, statementTimeout: 30_000 })
  const db = fairness === undefined ? createDatabase(pool) : createFairDatabase(pool, {}, fairness)
  return {
    db,
    connection: own,
    url: urlOf(own),
    async drop() {
      await db.destroy()
      await dropDatabase(connection, name)
    },
  }
}
