import { type Kysely, sql } from 'kysely'
import type { Migration, Step } from '../../src/db/migration.ts'

/**
 * Returns a migration that fails if a step locks a table against writers and reads rows of this table. If the table
 * were larger, its writers would wait longer.
 */
export const guarded = (migration: Migration): Migration => ({ ...migration, steps: migration.steps.map(guardedStep) })

function guardedStep(step: Step): Step {
  if ('change' in step) return { ...step, run: (db) => watch(db, step.change, () => step.run(db)) }
  if ('backfill' in step) {
    return { ...step, batch: (db, position) => watch(db, step.backfill, () => step.batch(db, position)) }
  }
  return step
}

/**
 * Runs a step. Throws if the step reads rows of a table that it locks against writers. Creating an index, rewriting the
 * table, and validating a constraint also read rows.
 */
async function watch<Result>(db: Kysely<unknown>, step: string, work: () => Promise<Result>): Promise<Result> {
  const before = await selectReads(db)
  const result = await work()
  const read = new Map<string, bigint>()
  for (const [table, rows] of await selectReads(db)) read.set(table, rows - (before.get(table) ?? 0n))
  const locked = (await selectLocked(db)).filter(({ table }) => (read.get(table) ?? 0n) > 0n)
  if (locked.length === 0) return result
  const tables = locked.map(({ table, mode }) => `${table} (${mode}, ${read.get(table)} rows read)`)
  throw new Error(`${step}: reads tables that it locks against writers: ${tables.join(', ')}`)
}

/** Returns the number of rows that this session has read from each table, perhaps also in preceding transactions. */
async function selectReads(db: Kysely<unknown>): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ table: string; read: string }>`
    select relname as table, (seq_tup_read + coalesce(idx_tup_fetch, 0))::text as read
    from pg_stat_xact_user_tables where schemaname = 'public'`.execute(db)
  return new Map(rows.map(({ table, read }) => [table, BigInt(read)]))
}

/** Returns the tables that this session has locked against writers until the transaction ends. */
async function selectLocked(db: Kysely<unknown>): Promise<{ table: string; mode: string }[]> {
  const { rows } = await sql<{ table: string; mode: string }>`
    select relname as table, mode from pg_locks join pg_class on oid = relation
    where pid = pg_backend_pid() and granted and relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
      and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`.execute(db)
  return rows
}
