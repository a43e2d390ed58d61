import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { inject } from 'vitest'
import { createDatabase, createPool, type Database } from '../src/db/database.ts'
import { administer, atDatabase } from './global-setup.ts'

export interface TestDatabase {
  db: Database
  connection: pg.ClientConfig
  drop(): Promise<void>
}

/** A migrated, empty database of one's own. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { connection, template } = inject('testDatabase')
  const name = `muster_test_${randomUUID().replaceAll('-', '')}`
  await administer(connection, `create database "${name}" template "${template}"`)
  const own = atDatabase(connection, name)
  const db = createDatabase(createPool({ connection: own, size: 10, statementTimeout: 30_000 }))
  return {
    db,
    connection: own,
    async drop() {
      await db.destroy()
      await administer(connection, `drop database "${name}" with (force)`)
    },
  }
}
