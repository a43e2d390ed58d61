import { readdir } from 'node:fs/promises'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import type { Database } from './database.ts'
import { createEventPartitions } from './event-partitions.ts'

const folder = new URL('../../migrations/', import.meta.url)

/** The migration files by name; Kysely runs them in that order, inside one transaction and under a lock of its own. */
const provider: MigrationProvider = {
  async getMigrations() {
    const files = (await readdir(folder)).filter((file) => /^\d{4}_.*\.ts$/.test(file)).sort()
    const migrations: Record<string, Migration> = {}
    for (const file of files) migrations[file.slice(0, -3)] = (await import(new URL(file, folder).href)) as Migration
    return migrations
  },
}

/**
 * Brings the database to this release's schema and returns the names of the migrations that ran. Several servers may
 * call it at once: one runs them, the others wait and find nothing left to do.
 */
export async function migrate(db: Database): Promise<string[]> {
  const { error, results } = await migratorOf(db).migrateToLatest()
  if (error !== undefined) throw error
  await createEventPartitions(db, new Date())
  return (results ?? []).map((result) => result.migrationName)
}

/** Brings an empty database to the schema as it was once this migration had run. */
export async function migrateTo(db: Database, migration: string): Promise<void> {
  const { error } = await migratorOf(db).migrateTo(migration)
  if (error !== undefined) throw error
}

/** Of all that this release has, in order. */
export const migrationNames = async (): Promise<string[]> => Object.keys(await provider.getMigrations())

const migratorOf = (db: Database): Migrator =>
  new Migrator({ db, provider, migrationTableName: 'migration', migrationLockTableName: 'migration_lock' })
