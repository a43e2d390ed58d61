import { readdir } from 'node:fs/promises'
import type { Kysely } from 'kysely'

/** What a file in `migrations/` exports: `up`, which is one change, or `steps`. */
export interface MigrationFile {
  up?: Change['run']
  steps?: readonly Step[]
  /** The migration that a server must know to serve on once this one has run; none where every server that is at work may. */
  needs?: string
}

export type Step = Change | NewIndex | OldIndex | Backfill

/** One transaction. Waits a second at most for a lock, and is tried again: who writes to the table waits behind it meanwhile. */
export interface Change {
  change: string
  run(db: Kysely<unknown>): Promise<void>
}

/** Made while everybody writes on. */
export interface NewIndex {
  /** Its name. */
  index: string
  /** A table, or a partitioned one: its partitions get the index one after the other. */
  on: string
  unique?: boolean
  /** All that follows the table in `create index`. */
  as: string
}

/** Dropped while everybody writes on. */
export interface OldIndex {
  dropIndex: string
}

/** Goes through rows in batches, each a transaction together with the place it got to. */
export interface Backfill {
  backfill: string
  /** Does about `size` rows behind `after`, null at first, and answers the place of the last one; null when no row was left. */
  batch(db: Kysely<unknown>, place: { after: string | null; size: number }): Promise<string | null>
}

export interface Migration {
  name: string
  steps: readonly Step[]
  needs: string | null
}

/** Of this release. */
export const releaseFolder = new URL('../../migrations/', import.meta.url)

/** The migrations of a folder, in the order in which they run. */
export async function readMigrations(folder: URL): Promise<Migration[]> {
  const migrations: Migration[] = []
  for (const name of await readNames(folder)) {
    const { up, steps, needs }: MigrationFile = await import(new URL(`${name}.ts`, folder).href)
    const own = steps ?? (up === undefined ? [] : [{ change: 'all of it', run: up }])
    if (own.length === 0) throw new Error(`the migration ${name} exports neither up nor steps`)
    migrations.push({ name, steps: own, needs: needs ?? null })
  }
  return migrations
}

async function readNames(folder: URL): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}_.*\.ts$/.test(file))
  return files.sort().map((file) => file.slice(0, -3))
}

export function describeStep(step: Step): string {
  if ('change' in step) return step.change
  if ('index' in step) return `index ${step.index}`
  if ('dropIndex' in step) return `index ${step.dropIndex} goes`
  return step.backfill
}
