import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import { type Database, plannedEachTime } from '../../db/database.ts'
import type { AttributeName } from '../attributes/attribute-name.ts'
import { anyStale } from '../filters/sql/attribute-times.ts'
import { both, type FilterScope, noTables } from '../filters/sql/filter-scope.ts'
import { insideCondition } from '../filters/sql/reachable-devices.ts'

export interface StaleQuery {
  accountId: string
  names: readonly AttributeName[]
  /** The filter for the devices that the caller can reach. Undefined means all devices. */
  inside: ResolvedFilter | undefined
  /** The current time, in milliseconds since 1970. */
  now: number
}

/** Returns the number of devices with a stale value for each name, in the order of the names. */
export async function countStale(db: Database, { accountId, names, inside, now }: StaleQuery): Promise<number[]> {
  if (names.length === 0) return []
  const scope: FilterScope = { accountId, context: undefined, now, tables: noTables() }
  const counts = names.map((name) => sql`count(*) filter (where ${anyStale(scope, [name])})::int`)
  const where = [sql`l.account_id = ${accountId}`]
  if (inside !== undefined) where.push(insideCondition(accountId, inside, scope.tables))
  const { rows } = await sql<{ counts: number[] }>`${sql.raw(plannedEachTime)}
    select array[${sql.join(counts, sql`, `)}] as counts
    from device_live l join device d on d.account_id = l.account_id and d.id = l.device_id
    where ${both(where)}`.execute(db)
  return rows[0]!.counts
}

export async function selectStale(
  db: Database,
  { accountId, names, now }: Omit<StaleQuery, 'inside'>,
  ids: readonly string[],
): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const scope: FilterScope = { accountId, context: undefined, now, tables: noTables() }
  const { rows } = await sql<{ id: string }>`
    select d.id from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    where d.account_id = ${accountId} and d.id = any(${ids}::text[]) and ${anyStale(scope, names)}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
