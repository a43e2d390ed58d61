import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { filterCondition } from './conditions.ts'
import { type FilterTables, noTables, type Sql } from './filter-scope.ts'

/**
 * Converts the filter of a restriction to SQL. In `tables`, marks the tables that the condition reads. A restriction
 * does not depend on the time and reads attributes in fixed contexts, so `now` and `context` have no effect.
 */
export const insideCondition = (accountId: string, inside: ResolvedFilter, tables: FilterTables): Sql =>
  filterCondition(inside, { accountId, context: undefined, now: 0, tables })

/** SQL that limits a statement on `device d` to the devices that match a restriction. */
export interface InsideText {
  /** Joins `device_live l` if the condition reads this table and the statement does not join it already. */
  readonly joins: string
  readonly condition: string
  readonly parameters: readonly unknown[]
}

/** Numbers the parameters of the condition after the first `used` parameters, which the statement itself uses. */
export function insideText(
  db: Database,
  accountId: string,
  { inside, used, hasLive = false }: { inside: ResolvedFilter; used: number; hasLive?: boolean },
): InsideText {
  const tables = noTables()
  const compiled = insideCondition(accountId, inside, tables).compile(db)
  return {
    joins: tables.live && !hasLive ? 'join device_live l on l.account_id = d.account_id and l.device_id = d.id' : '',
    condition: compiled.sql.replaceAll(/\$(\d+)/g, (_parameter, number) => `$${Number(number) + used}`),
    parameters: compiled.parameters,
  }
}

/** Returns SQL for the IDs of the devices that match the restriction. */
function reachableIds(accountId: string, inside: ResolvedFilter): Sql {
  const tables = noTables()
  const condition = insideCondition(accountId, inside, tables)
  const live = tables.live ? sql`join device_live l on l.account_id = d.account_id and l.device_id = d.id` : sql``
  return sql`select d.id from device d ${live} where d.account_id = ${accountId} and ${condition}`
}

/**
 * Returns a condition for devices that the caller can reach, or no condition for a caller who can reach every device.
 * `id` is the SQL expression for the device's ID.
 */
export const isInside = (accountId: string, inside: ResolvedFilter | undefined, id: Sql): Sql[] =>
  inside === undefined ? [] : [sql`${id} in (${reachableIds(accountId, inside)})`]

/**
 * Like `isInside`, but looks up the device of each row. Use it for statements that read few rows.
 *
 * `id` is outside the subquery that reads `device d`, because in this subquery a caller's `d.id` would mean the other `d`.
 */
export const isEachInside = (accountId: string, inside: ResolvedFilter, id: Sql): Sql =>
  sql`exists (select from (${reachableIds(accountId, inside)}) as reachable where reachable.id = ${id})`
