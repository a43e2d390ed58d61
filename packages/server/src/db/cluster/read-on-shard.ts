import { boundedMap } from '../../lib/bounded-map.ts'
import { plannedEachTime } from '../database.ts'
import type { Shard } from './account-shards.queries.ts'

/** The distributed tables and reference tables that a statement may read, keyed by the statement's text. */
const tablesIn = boundedMap<string, readonly string[]>(2_000)

/**
 * Rewrites a statement that reads an account's rows: its table names then refer to the tables of the account's shard on
 * a worker. PostgreSQL alone plans the rewritten statement. Citus would plan the statement again at each execution,
 * which takes longer than reading a page of devices. Statements that write or lock rows are not rewritten.
 *
 * On a node that does not store the shard, the rewritten statement fails with SQLSTATE 22012 (division by zero). If the
 * node does not have the tables, the statement fails with 42P01 (undefined table). After a move, a node can have tables
 * with old rows.
 */
export function readOnShard(text: string, { id, tables }: Shard): string {
  let names = tablesIn.get(text)
  if (names === undefined) {
    names = isRead(text) ? Object.keys(tables).filter((name) => new RegExp(`\\b${name}\\b`).test(text)) : []
    tablesIn.set(text, names)
  }
  if (names.length === 0) return text
  const parts = names.map((name) => `${name} as not materialized (select * from ${tables[name]})`)
  return `${text.startsWith(plannedEachTime) ? plannedEachTime : ''} with ${parts.join(', ')}
    select * from (${text}) as result
    where (select 1 / count(*) from pg_dist_placement join pg_dist_local_group using (groupid) where shardid = ${id}) = 1`
}

const isRead = (text: string): boolean =>
  /^(\/\*.*?\*\/|\s)*(select|with)\b/i.test(text) &&
  !/\b(insert into|update|delete from|for (update|share))\b/i.test(text)
