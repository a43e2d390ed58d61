import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { perRequest } from '../../graphql/per-request.ts'
import { selectAllIntervals, selectIntervals } from './intervals.queries.ts'

/** A name that clients are expected to write at an interval. */
export interface Freshness {
  name: string
  seconds: number
}

/** Returns the expected intervals of those names that have one, in seconds. */
export async function findIntervals(
  db: Database,
  accountId: string,
  names: readonly string[],
): Promise<Map<string, number>> {
  const rows = await selectIntervals(db, accountId, names)
  return new Map(rows.map(({ name, seconds }) => [name, seconds]))
}

/** Returns the expected intervals of all names that have one, in seconds and in the order of the names. */
export async function listIntervals(db: Database, accountId: string): Promise<Map<string, number>> {
  const rows = await selectAllIntervals(db, accountId)
  return new Map(rows.map(({ name, seconds }) => [name, seconds]))
}

/** The expected intervals of all names, in seconds, for the whole request. */
export const intervalsOf = perRequest(({ db, viewer }: Context) => listIntervals(db, viewer.accountId))
