import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { limits } from '../../../limits.ts'
import type { Sql } from '../../filters/sql/filter-scope.ts'
import { isEachInside } from '../../filters/sql/reachable-devices.ts'

/**
 * Assumes the largest possible size for compressed attributes, because finding their actual size would require reading
 * them.
 */
const upTo = (attributes: Sql): Sql =>
  sql`case when pg_column_compression(${attributes}) is null then pg_column_size(${attributes}) else ${limits.bytesPerTarget} end`

export interface AttributesToRead {
  ids: readonly string[]
  contexts: readonly string[]
  /** The IDs of the devices whose services are read, with the base values and all overrides of these services. */
  withServices: readonly string[]
  /** Matches the devices that the caller can reach. Undefined if the caller can reach all devices. */
  inside: ResolvedFilter | undefined
}

/**
 * Returns an upper limit for the attribute bytes of each device, keyed by ID. Counts the device's base values and its
 * overrides in `contexts`. For a device in `withServices`, also counts all base values and overrides of its services.
 * Omits unknown IDs, and devices that the caller cannot reach.
 */
export async function selectAttributeBytes(
  db: Database,
  accountId: string,
  { ids, contexts, withServices, inside }: AttributesToRead,
): Promise<Map<string, number>> {
  const reached = inside === undefined ? sql`true` : isEachInside(accountId, inside, sql`device.id`)
  const { rows } = await sql<{ id: string; bytes: number }>`
    select d.id, (${upTo(sql`d.attributes`)}
      + coalesce((select sum(${upTo(sql`o.attributes`)}) from attribute_override o
          where o.account_id = ${accountId} and o.target_id = d.id and o.context = any(${contexts})), 0)
      + case when d.id = any(${withServices}) then coalesce((
          select sum(${upTo(sql`s.attributes`)} + case when s.override_names = '{}' then 0 else coalesce((
            select sum(${upTo(sql`o.attributes`)}) from attribute_override o
            where o.account_id = ${accountId} and o.target_id = s.id), 0) end)
          from service s where s.account_id = ${accountId} and s.device_id = d.id), 0) else 0 end)::float8 as bytes
    from (
      select id, account_id, attributes from device
      where account_id = ${accountId} and id = any(${ids}) and ${reached}) as d`.execute(db)
  return new Map(rows.map(({ id, bytes }) => [id, bytes]))
}
