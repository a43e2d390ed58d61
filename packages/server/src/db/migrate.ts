import { sql } from 'kysely'
import { StartError } from '../start-error.ts'
import { readClocks } from './clocks.ts'
import type { Database } from './database.ts'
import { createPartitionsByBothClocks } from './event-partitions.ts'
import { type MigrationLog, silentLog } from './migrate/log.ts'
import { withMigrationLock } from './migrate/migration-lock.ts'
import { runMigration } from './migrate/run.ts'
import { type Migration, readMigrations, releaseFolder } from './migration.ts'

export interface MigrateOptions {
  log?: MigrationLog
  /** Aborting stops the migration between two steps or during a long step. Finished steps remain in effect. */
  signal?: AbortSignal
  /** The default is this release's migrations. */
  migrations?: readonly Migration[]
}

/**
 * Runs the missing migrations, and then creates the missing event partitions. Returns the names of the migrations that
 * it has run. Several servers may call this function at the same time: one runs the migrations while the others wait.
 * The next call continues an interrupted migration. Uses two connections, whose statement timeout must allow long
 * statements.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = options.migrations ?? (await readMigrations(releaseFolder))
  const done = await runMissing(db, migrations, options)
  await createPartitionsByBothClocks(db, await readClocks(db, new Date()))
  return done
}

export async function migrateTo(db: Database, migration: string, options: MigrateOptions = {}): Promise<void> {
  const migrations = options.migrations ?? (await readMigrations(releaseFolder))
  const last = migrations.findIndex(({ name }) => name === migration)
  if (last === -1)
    throw new Error(`unknown migration "${migration}"; the last known migration is ${migrations.at(-1)?.name}`)
  await runMissing(db, migrations.slice(0, last + 1), options)
}

export const migrationNames = async (): Promise<string[]> =>
  (await readMigrations(releaseFolder)).map(({ name }) => name)

async function runMissing(db: Database, known: readonly Migration[], options: MigrateOptions): Promise<string[]> {
  const { log = silentLog, signal = new AbortController().signal } = options
  // If no migration is missing, a server can start even while a newer release holds the lock.
  if (missingOf(await selectExecuted(db), known, log).length === 0) return []
  return withMigrationLock({ db, log, signal }, async (connection) => {
    const executed = await selectExecuted(connection)
    const missing = missingOf(executed, known, log)
    // The steps take almost no time in an empty database, so they are not logged.
    const stepLog = executed.length === 0 ? silentLog : log
    for (const migration of missing) await runMigration({ connection, db, log: stepLog, signal }, migration)
    return missing.map(({ name }) => name)
  })
}

interface Executed {
  name: string
  needs: string | null
}

/** Returns the migrations that any release has run on this database. Returns an empty list for a new database. */
async function selectExecuted(db: Database): Promise<Executed[]> {
  const { rows: found } = await sql<{ found: boolean }>`select to_regclass('migration') is not null as found`.execute(
    db,
  )
  if (!found[0]?.found) return []
  // Older releases created the table without the `needs` column.
  const { rows } = await sql<Executed>`
    select name, to_jsonb(migration) ->> 'needs' as needs from migration order by name`.execute(db)
  return rows
}

/**
 * Returns the known migrations that have not run. If a newer release has migrated the database, returns an empty list,
 * or throws if the database is now incompatible with this release.
 */
function missingOf(executed: readonly Executed[], known: readonly Migration[], log: MigrationLog): Migration[] {
  const knows = (name: string): boolean => known.some((migration) => migration.name === name)
  const newer = executed.filter(({ name }) => !knows(name))
  const missing = known.filter(({ name }) => !executed.some((migration) => migration.name === name))
  if (newer.length === 0) return missing
  const names = newer.map(({ name }) => name)
  if (missing.length > 0 || newer.some(({ needs }) => needs !== null && !knows(needs))) {
    throw new StartError(
      `A newer release of Muster has migrated the database to ${names.at(-1)}, which this release does not support: start the newer release.`,
    )
  }
  log.warn({ migrations: names }, 'a newer release has migrated the database, but this release can still use it')
  return []
}
