import { readdir } from 'node:fs/promises'
import type { Kysely } from 'kysely'

/** A file has either `up` (one change) or `steps` (a list of steps). */
export interface MigrationFile {
  up?: Change['run']
  steps?: readonly Step[]
  /**
   * The name of the migration that a server must know to work with the database after this file's migration. Omitted if
   * servers that do not know this file's migration can still work with the database.
   */
  needs?: string
}

export type Step = Change | NewIndex | OldIndex | Backfill

/**
 * A change to the schema or the data. It waits at most a second for a lock and is then retried, because writes to the
 * table wait behind a waiting change.
 */
export interface Change {
  change: string
  run(db: Kysely<unknown>): Promise<void>
}

/** Creates an index concurrently, without blocking writes. */
export interface NewIndex {
  index: string
  /** The table to index. The partitions of a partitioned table are indexed one after another. */
  on: string
  unique?: boolean
  /** The part of `create index` after the table name. */
  as: string
}

/** Drops an index. If its table is not partitioned, this step drops the index concurrently, without blocking writes. */
export interface OldIndex {
  dropIndex: string
}

/** A change to many rows, in batches. Each batch runs in a transaction that also records its progress. */
export interface Backfill {
  backfill: string
  /**
   * Processes about `size` rows after `after` (initially null). Returns the last row's position, or null if no rows
   * remain.
   */
  batch(db: Kysely<unknown>, position: { after: string | null; size: number }): Promise<string | null>
}

export interface Migration {
  name: string
  steps: readonly Step[]
  needs: string | null
}

export const releaseFolder = new URL('../../migrations/', import.meta.url)

export async function readMigrations(folder: URL): Promise<Migration[]> {
  const migrations: Migration[] = []
  for (const file of await listFiles(folder)) {
    const name = file.slice(0, -3)
    const { up, steps, needs }: MigrationFile = await import(new URL(file, folder).href)
    const allSteps = steps ?? (up === undefined ? [] : [{ change: 'entire migration', run: up }])
    if (allSteps.length === 0)
      throw new Error(`the migration ${name} has no steps: export the function up, or a nonempty list named steps`)
    migrations.push({ name, steps: allSteps, needs: needs ?? null })
  }
  return migrations
}

/** Lists the migration files. In the published package, they are JavaScript. */
const listFiles = async (folder: URL): Promise<string[]> =>
  (await readdir(folder)).filter((file) => /^\d{4}_.*\.[jt]s$/.test(file)).sort()

export function describeStep(step: Step): string {
  if ('change' in step) return step.change
  if ('index' in step) return `index ${step.index}`
  if ('dropIndex' in step) return `drop index ${step.dropIndex}`
  return step.backfill
}
