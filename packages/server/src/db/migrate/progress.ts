import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Migration } from '../migration.ts'

export interface Progress {
  migration: string
  /** The index of the current step, starting at 0. */
  step: number
  what: string
  /** The last position that a backfill has processed, or null before its first batch. */
  after: string | null
}

export async function findProgress(db: Database, migration: string): Promise<Progress | undefined> {
  const { rows } = await sql<Progress>`select * from migration_progress where migration = ${migration}`.execute(db)
  return rows[0]
}

export async function saveProgress(db: Database, { migration, step, what, after }: Progress): Promise<void> {
  await sql`
    insert into migration_progress (migration, step, what, after) values (${migration}, ${step}, ${what}, ${after})
    on conflict (migration) do update set step = excluded.step, what = excluded.what, after = excluded.after`.execute(
    db,
  )
}

/**
 * Deletes the migration's progress, and records the migration in the table of Kysely's migrator. Older releases that
 * use this migrator do not start if the table lists a migration that they do not contain.
 */
export async function finishMigration(transaction: Database, { name, needs }: Migration): Promise<void> {
  await sql`delete from migration_progress where migration = ${name}`.execute(transaction)
  await sql`
    insert into migration (name, "timestamp", needs) values (${name}, ${new Date().toISOString()}, ${needs})`.execute(
    transaction,
  )
}

/** Returns the migration in progress and its current step, or undefined if no migration is in progress. */
export async function findRunningMigration(db: Database): Promise<Pick<Progress, 'migration' | 'what'> | undefined> {
  const { rows: found } = await sql<{ found: boolean }>`
    select to_regclass('migration_progress') is not null as found`.execute(db)
  if (!found[0]?.found) return undefined
  const { rows } = await sql<Progress>`select * from migration_progress`.execute(db)
  return rows[0]
}
