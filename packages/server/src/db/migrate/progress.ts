import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Migration } from '../migration.ts'

/** How far a migration has got that is not done. */
export interface Progress {
  migration: string
  /** The one that is under way, from 0. */
  step: number
  what: string
  /** How far a backfill has got. */
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

/** As Kysely's migrator does it, which ran those of former releases and does not start where one that it knows is missing. */
export async function finishMigration(transaction: Database, { name, needs }: Migration): Promise<void> {
  await sql`delete from migration_progress where migration = ${name}`.execute(transaction)
  await sql`
    insert into migration (name, "timestamp", needs) values (${name}, ${new Date().toISOString()}, ${needs})`.execute(
    transaction,
  )
}

/** What a migration is at; undefined where none is under way, and where there is no Muster. */
export async function findUnderWay(db: Database): Promise<Pick<Progress, 'migration' | 'what'> | undefined> {
  const { rows: found } = await sql<{ found: boolean }>`
    select to_regclass('migration_progress') is not null as found`.execute(db)
  if (!found[0]?.found) return undefined
  const { rows } = await sql<Progress>`select * from migration_progress`.execute(db)
  return rows[0]
}
