import { sql } from 'kysely'
import { StartError } from '../start-error.ts'
import { readClocks } from './clocks.ts'
import type { Database } from './database.ts'
import { createPartitionsByBoth } from './event-partitions.ts'
import { withMigrationLock } from './migrate/lock.ts'
import { type MigrationLog, silentLog } from './migrate/log.ts'
import { runMigration } from './migrate/run.ts'
import { type Migration, readMigrations, releaseFolder } from './migration.ts'

export interface MigrateOptions {
  log?: MigrationLog
  /** Ends it between two steps, and a step that takes long: what is done stays done. */
  signal?: AbortSignal
  /** The release's, unless it says otherwise. */
  migrations?: readonly Migration[]
}

/**
 * Brings the database to this release's schema and returns the names of the migrations that ran. Several servers may
 * call it at once: one runs them, the others wait and find nothing left to do. Whoever runs them may be killed at any moment; the next
 * goes on from there. Takes two connections, whose statements must be allowed to take long.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = options.migrations ?? (await readMigrations(releaseFolder))
  const done = await runMissing(db, migrations, options)
  await createPartitionsByBoth(db, await readClocks(db, new Date()))
  return done
}

/** Brings an empty database to the schema as it was once this migration had run. */
export async function migrateTo(db: Database, migration: string, options: MigrateOptions = {}): Promise<void> {
  const migrations = options.migrations ?? (await readMigrations(releaseFolder))
  const last = migrations.findIndex(({ name }) => name === migration)
  if (last === -1) throw new Error(`there is no migration ${migration}`)
  await runMissing(db, migrations.slice(0, last + 1), options)
}

/** Of all that this release has, in order. */
export const migrationNames = async (): Promise<string[]> =>
  (await readMigrations(releaseFolder)).map(({ name }) => name)

async function runMissing(db: Database, known: readonly Migration[], options: MigrateOptions): Promise<string[]> {
  const { log = silentLog, signal = new AbortController().signal } = options
  // Without the lock first: where nothing is missing a server starts, though one of a newer release holds it.
  if (missingOf(await selectExecuted(db), known, log).length === 0) return []
  return withMigrationLock({ db, log, signal }, async (connection) => {
    const missing = missingOf(await selectExecuted(connection), known, log)
    for (const migration of missing) await runMigration({ connection, db, log, signal }, migration)
    return missing.map(({ name }) => name)
  })
}

interface Executed {
  name: string
  needs: string | null
}

/** What ran here, by this release or another; nothing where Muster has never been. */
async function selectExecuted(db: Database): Promise<Executed[]> {
  const { rows: found } = await sql<{ found: boolean }>`select to_regclass('migration') is not null as found`.execute(
    db,
  )
  if (!found[0]?.found) return []
  // Releases that know nothing of needs have no such column.
  const { rows } = await sql<Executed>`
    select name, to_jsonb(migration) ->> 'needs' as needs from migration order by name`.execute(db)
  return rows
}

/** What is to run. Refuses a database on which this release cannot serve, since a newer one has been there. */
function missingOf(executed: readonly Executed[], known: readonly Migration[], log: MigrationLog): Migration[] {
  const knows = (name: string): boolean => known.some((migration) => migration.name === name)
  const newer = executed.filter(({ name }) => !knows(name))
  const missing = known.filter(({ name }) => !executed.some((migration) => migration.name === name))
  if (newer.length === 0) return missing
  const names = newer.map(({ name }) => name)
  if (missing.length > 0 || newer.some(({ needs }) => needs !== null && !knows(needs))) {
    throw new StartError(
      `A newer release of Muster has brought the database to ${names.at(-1)}, on which this release cannot serve: start that one.`,
    )
  }
  log.warn({ migrations: names }, 'a newer release has brought the database further; this one serves on beside it')
  return []
}
