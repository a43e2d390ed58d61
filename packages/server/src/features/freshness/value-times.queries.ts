import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ValueTimes } from '../attributes/target.ts'

export interface TimesRow {
  id: string
  times: ValueTimes
  /** The creation time of the device or service. Null for the account. */
  created: Date | null
}

/** Returns the times of the base values of devices, services, and the account. Omits unknown IDs. */
export async function selectBaseTimes(db: Database, accountId: string, ids: readonly string[]): Promise<TimesRow[]> {
  const { rows } = await sql<TimesRow>`
    select d.id, d.attribute_times || l.attribute_times as times, d.created
    from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    where d.account_id = ${accountId} and d.id = any(${ids}::text[])
    union all
    select id, attribute_times, created from service where account_id = ${accountId} and id = any(${ids}::text[])
    union all
    select id, attribute_times, null from account where id = ${accountId} and id = any(${ids}::text[])`.execute(db)
  return rows
}

/**
 * Returns the times of overrides. The lists `ids` and `contexts` have the same length, and each index identifies a pair
 * of target and context. Omits pairs without overrides.
 */
export async function selectOverrideTimes(
  db: Database,
  accountId: string,
  { ids, contexts }: { ids: readonly string[]; contexts: readonly string[] },
): Promise<{ id: string; context: string; times: ValueTimes }[]> {
  const { rows } = await sql<{ id: string; context: string; times: ValueTimes }>`
    select o.target_id as id, o.context, o.attribute_times as times
    from unnest(${ids}::text[], ${contexts}::text[]) as wanted (target_id, context)
    join attribute_override o
      on o.account_id = ${accountId} and o.target_id = wanted.target_id and o.context = wanted.context`.execute(db)
  return rows
}

/** Returns the time by which every server process had begun to record the times of values. */
export async function selectTimesSince(db: Database): Promise<Date> {
  const { rows } = await sql<{ since: Date }>`select since from attribute_times_start`.execute(db)
  return rows[0]!.since
}
