import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { createDatabase } from '../src/db/database.ts'
import { startEmbedded } from '../src/db/embedded/embedded.ts'
import { createEventPartition } from '../src/db/event-partitions.ts'
import { migrate } from '../src/db/migrate.ts'
import { createPool } from '../src/db/pool/create-pool.ts'
import { disconnect, onWorkers, placeOnCluster } from './cluster/cluster-databases.ts'
import { bundlePrograms } from './harness/bundled-programs.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    testDatabase: { connection: pg.ClientConfig; template: string }
    /** The path of a folder for shared files, which is removed after the test run. */
    scratchFolder: string
  }
}

/**
 * Creates the template of the test databases and bundles the programs. Returns a function that removes both. With
 * MUSTER_TEST_DATABASE_URL, uses the PostgreSQL server at this URL, whose user must be able to create databases.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await createTemporaryFolder()
  const template = `muster_template_${process.pid}`
  const [{ connection, stop }] = await Promise.all([
    prepareDatabase(join(folder, 'postgres'), template),
    bundlePrograms(join(folder, 'programs')),
  ])
  project.provide('testDatabase', { connection, template })
  project.provide('scratchFolder', folder)
  return async () => {
    await dropDatabase(connection, template)
    await stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function prepareDatabase(dataFolder: string, template: string): ReturnType<typeof startDatabase> {
  const database = await startDatabase(dataFolder)
  await createTemplate(database.connection, template)
  return database
}

async function startDatabase(dataFolder: string): Promise<{ connection: pg.ClientConfig; stop: () => Promise<void> }> {
  const url = process.env.MUSTER_TEST_DATABASE_URL
  if (url !== undefined) return { connection: { connectionString: url }, stop: async () => {} }
  // Turn off durability to save time. Tests of durability start a separate server.
  const embedded = await startEmbedded({
    dataFolder,
    log: { info() {}, warn: console.warn, error: console.error },
    onExit: (reason) => console.error(reason),
    // Turn off autovacuum: test databases are too short-lived to need it, and an autovacuum worker can prevent a
    // database from being dropped. Keep the shared buffers small, because the first use of each page of memory takes
    // CPU time.
    settings: {
      fsync: 'off',
      full_page_writes: 'off',
      autovacuum: 'off',
      max_connections: '400',
      shared_buffers: '256MB',
    },
  })
  const stop = async (): Promise<void> => {
    await embedded.stop()
    const lines = (await readFile(join(dataFolder, 'pg.log'), 'utf8')).split('\n').filter((line) => FAILURE.test(line))
    if (lines.length > 0) console.error(`The PostgreSQL server of the tests failed:\n${lines.slice(0, 50).join('\n')}`)
  }
  return { connection: embedded.connection, stop }
}

/** Matches messages about failures of the whole server, which can make many tests fail. */
const FAILURE = /PANIC|terminated by signal|could not fork|No space left|[Oo]ut of memory|too many clients/

async function createTemplate(connection: pg.ClientConfig, template: string): Promise<void> {
  await administer(connection, `create database "${template}"`)
  await onWorkers((worker) => administer(worker, `create database "${template}"`))
  const pool = createPool({ connection: atDatabase(connection, template), size: 2, statementTimeout: 0 })
  const db = createDatabase(pool)
  try {
    await migrate(db)
    // Tests insert events from recent days, some of which may be in the previous month.
    await createEventPartition(db, previousMonth(new Date()))
    await placeOnCluster(db, template)
  } finally {
    await db.destroy()
  }
  await disconnect(connection, template)
}

const previousMonth = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1))

export function atDatabase(connection: pg.ClientConfig, database: string): pg.ClientConfig {
  if (connection.connectionString === undefined) return { ...connection, database }
  const url = new URL(connection.connectionString)
  url.pathname = `/${database}`
  return { connectionString: url.href }
}

/**
 * Drops a database. On a cluster, first ends all connections to the database. Retries, because PostgreSQL waits only
 * five seconds for connections to end, which can be too short on a slow machine.
 */
export async function dropDatabase(connection: pg.ClientConfig, name: string): Promise<void> {
  await disconnect(connection, name)
  for (;;) {
    try {
      await onWorkers((worker) => administer(worker, `drop database if exists "${name}" with (force)`))
      return await administer(connection, `drop database if exists "${name}" with (force)`)
    } catch (error) {
      if ((error as pg.DatabaseError).code !== OBJECT_IN_USE) throw error
    }
  }
}

const OBJECT_IN_USE = '55006'

export async function administer(connection: pg.ClientConfig, statement: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
