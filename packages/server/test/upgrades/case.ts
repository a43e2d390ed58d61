import { readdir } from 'node:fs/promises'
import type { Kysely } from 'kysely'

/** What there is to say of a migration besides that no row is lost. */
export interface UpgradeCase {
  /** Writes what the release before may have left behind that the migration has to do with. */
  before?(db: Kysely<unknown>): Promise<void>
  /** Writes as the release before does, which goes on beside it. */
  meanwhile?(db: Kysely<unknown>): Promise<void>
  /** Throws where the data is not right, whichever it is: made here, or by servers of the release before. */
  check(db: Kysely<unknown>): Promise<void>
  /** Columns whose values it changes in rows from before, and no others: `device.attributes`. */
  changes?: readonly string[]
}

const folder = new URL('cases/', import.meta.url)

export async function caseNames(): Promise<string[]> {
  return (await readdir(folder)).map((file) => file.replace(/\.ts$/, '')).sort()
}

export async function readCase(name: string): Promise<UpgradeCase> {
  return (await import(new URL(`${name}.ts`, folder).href)).default
}
