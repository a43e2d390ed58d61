import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { perRequest } from '../../graphql/per-request.ts'
import { selectAllIntervals, selectIntervals } from './expected-intervals.queries.ts'

export interface Freshness {
  name: string
  seconds: number
}

/** Returns the expected intervals, in seconds, keyed by name. Omits names without an expected interval. */
export async function findIntervals(
  db: Database,
  accountId: string,
  names: readonly string[],
): Promise<Map<string, number>> {
  const rows = await selectIntervals(db, accountId, names)
  return new Map(rows.map(({ name, seconds }) => [name, seconds]))
}

/** Returns all expected intervals of the account in seconds, keyed by name and sorted by name. */
export async function listIntervals(db: Database, accountId: string): Promise<Map<string, number>> {
  const rows = await selectAllIntervals(db, accountId)
  return new Map(rows.map(({ name, seconds }) => [name, seconds]))
}

export const intervalsOf = perRequest(({ db, viewer }: Context) => listIntervals(db, viewer.accountId))
