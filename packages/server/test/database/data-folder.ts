import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { createDatabase } from '../../src/db/database.ts'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createPool } from '../../src/db/pool/create-pool.ts'

/**
 * Copies a database that the test run creates once, because creating and migrating a database takes several seconds of
 * CPU time.
 */
export async function createDataFolder(dataFolder: string): Promise<void> {
  original ??= findOrCreate(join(inject('scratchFolder'), 'cluster'))
  const cluster = join(await original, 'pg')
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  await promisify(execFile)('cp', ['-R', cluster, join(dataFolder, 'pg')])
}

/** The folder of the database to copy. Test workers that run in parallel share the folder once it is complete. */
let original: Promise<string> | undefined

async function findOrCreate(path: string): Promise<string> {
  if (existsSync(path)) return path
  const folder = await mkdtemp(`${path}-`)
  const log = { info() {}, warn() {}, error() {} }
  const database = await startEmbedded({ dataFolder: folder, log, onExit() {}, settings: { fsync: 'off' } })
  const db = createDatabase(createPool({ connection: database.connection, size: 2, statementTimeout: 0 }))
  await migrate(db)
  await db.destroy()
  await database.stop()
  await rename(folder, path).catch(() => {})
  return existsSync(path) ? path : folder
}
