import { readdir } from 'node:fs/promises'
import type { Kysely } from 'kysely'

export interface UpgradeCase {
  /** Writes rows that the previous release may have left and that the migration affects. */
  before?(db: Kysely<unknown>): Promise<void>
  /** Writes like the servers of the previous release, which keep running during the migration. */
  meanwhile?(db: Kysely<unknown>): Promise<void>
  /** Throws if the data is wrong after all migrations, before a server of this release has written to the database. */
  check?(db: Kysely<unknown>): Promise<void>
  /** Throws if the data is wrong. Also runs after servers of both releases have written under load. */
  checkAlways?(db: Kysely<unknown>): Promise<void>
  /** The only columns that the migration may change in existing rows, such as `device.attributes`. */
  changes?: readonly string[]
}

const folder = new URL('cases/', import.meta.url)

export async function caseNames(): Promise<string[]> {
  return (await readdir(folder)).map((file) => file.replace(/\.ts$/, '')).sort()
}

export async function readCase(name: string): Promise<UpgradeCase> {
  return (await import(new URL(`${name}.ts`, folder).href)).default
}
