import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { reservedColumns } from '../attributes/attributes.ts'
import { filterCondition } from '../filters/sql/conditions.ts'
import { type FilterScope, noTables } from '../filters/sql/filter-scope.ts'
import { overridesIn } from '../filters/sql/value-source.ts'
import type { Selection } from './needs.ts'

/** A device at one moment, as JSON of `DeviceRows`. `now` is the reference time for relative times. */
export interface Moment {
  now: Date
  rows: string
}

const reserved = sql.raw([...reservedColumns.values()].map((column) => `${column} text collate "C"`).join(', '))

/**
 * Returns the indexes of the matching moments. The condition is the same SQL as in lists: inside the subquery, the
 * table names refer to the rows of one moment.
 */
export async function selectMatches(
  db: Database,
  accountId: string,
  { selection, moments }: { selection: Required<Selection>; moments: readonly Moment[] },
): Promise<number[]> {
  const { filter, context } = selection
  if (filter === undefined || moments.length === 0) return moments.map((_, index) => index)
  const scope: FilterScope = { accountId, context, now: sql`moment."now"`, tables: noTables() }
  const condition = filterCondition(filter, scope)
  const { rows } = await sql<{ index: number }>`
    select moment.number::int - 1 as index
    from unnest(${moments.map(({ now }) => now)}::timestamptz[], ${moments.map(({ rows }) => rows)}::jsonb[])
      with ordinality as moment ("now", "rows", number)
    where (
      with device as (
        select ${accountId}::text as account_id, part.* from jsonb_to_record(moment."rows" -> 'device') as part (
          id text collate "C", name text collate "C", hardware_id text collate "C", platform text collate "C",
          created timestamptz, attributes jsonb, attribute_times jsonb)
      ), device_live as (
        select device.account_id, device.id as device_id, part.*
        from device, jsonb_to_record(moment."rows" -> 'live') as part (
          state text collate "C", state_since timestamptz, last_reported timestamptz, attribute_times jsonb, ${reserved})
      ), attribute_override as (
        select device.account_id, part.* from device, jsonb_to_recordset(moment."rows" -> 'overrides') as part (
          target_id text collate "C", context text collate "C", attributes jsonb, attribute_times jsonb)
      ), service as (
        select device.account_id, device.id as device_id, part.*
        from device, jsonb_to_recordset(moment."rows" -> 'services') as part (
          id text collate "C", name text collate "C", application integer, host text collate "C", port integer,
          enabled boolean, created timestamptz, attributes jsonb, attribute_times jsonb)
      ), service_live as (
        select device.account_id, device.id as device_id, part.*
        from device, jsonb_to_recordset(moment."rows" -> 'serviceLives') as part (
          service_id text collate "C", state text collate "C", last_reported timestamptz)
      )
      select ${condition}
      from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
      ${scope.tables.overrides ? overridesIn(context!, 'device') : sql``}
    )`.execute(db)
  return rows.map(({ index }) => index)
}
