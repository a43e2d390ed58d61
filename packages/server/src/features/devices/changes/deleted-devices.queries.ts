import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { limits } from '../../../limits.ts'
import { reservedColumns } from '../../attributes/attributes.ts'
import type { Sql } from '../../filters/sql/filter-scope.ts'
import { isNoBulkService } from '../../filters/sql/value-source.ts'

export interface DeletedContents {
  id: string
  /** Null if the contents are too large to keep. */
  contents: Record<'attributes' | 'overrides' | 'services', unknown> | null
  /**
   * The device's values that the `data` of its DEVICE_DELETE or DEVICE_TRANSFER event does not contain. If `contents`
   * is null, the times of attributes are missing. Times have the format that PostgreSQL uses in JSON.
   */
  previous: Record<string, unknown>
}

const reservedGroup = sql`jsonb_strip_nulls(jsonb_build_object(${sql.join(
  [...reservedColumns].map(([subName, column]) => sql`${sql.lit(subName)}, ${sql.ref(`l.${column}`)}`),
)}))`

export async function selectDeletedContents(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, DeletedContents>> {
  const overridesOf = (targetId: Sql, column: 'attributes' | 'attribute_times' = 'attributes'): Sql => sql`coalesce((
    select jsonb_object_agg(o.context, ${sql.ref(`o.${column}`)}) from attribute_override o
    where o.account_id = ${accountId} and o.target_id = ${targetId}), '{}')`
  const overrideBytes = (targetId: Sql): Sql => sql`coalesce((
    select sum(octet_length(o.attributes::text)) from attribute_override o
    where o.account_id = ${accountId} and o.target_id = ${targetId}), 0)`
  // A device's values can be much larger than the limit, so the statement adds up their sizes before it builds JSON.
  const { rows } = await sql<DeletedContents>`
    select id,
      case when octet_length(contents::text) <= ${limits.deletedBytes} then previous || times else previous end as previous,
      case when octet_length(contents::text) <= ${limits.deletedBytes} then contents end as contents
    from (
      select d.id,
        jsonb_build_object('created', d.created, 'state', l.state, 'stateSince', l.state_since,
          'lastReported', l.last_reported) as previous,
        case when is_small then jsonb_build_object(
          'times', d.attribute_times || l.attribute_times,
          'overrideTimes', ${overridesOf(sql`d.id`, 'attribute_times')},
          'services', coalesce((
            select jsonb_object_agg(s.id, jsonb_build_object('times', s.attribute_times,
              'overrideTimes', ${overridesOf(sql`s.id`, 'attribute_times')}))
            from service s where s.account_id = ${accountId} and s.device_id = d.id and ${isNoBulkService}), '{}'))
        end as times,
        case when is_small then jsonb_build_object(
          'attributes', d.attributes || case when ${reservedGroup} = '{}' then '{}'
            else jsonb_build_object('$svc', ${reservedGroup}) end,
          'overrides', ${overridesOf(sql`d.id`)},
          'services', coalesce((
            select jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name, 'application', s.application, 'host', s.host,
              'port', s.port, 'enabled', s.enabled, 'created', s.created, 'state', live.state,
              'stateSince', live.state_since, 'lastReported', live.last_reported, 'attributes', s.attributes,
              'overrides', ${overridesOf(sql`s.id`)}) order by s.name collate natural_order, s.id)
            from service s left join service_live live on live.account_id = ${accountId} and live.service_id = s.id
            where s.account_id = ${accountId} and s.device_id = d.id and ${isNoBulkService}), '[]'))
        end as contents
      from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
        cross join lateral (
          select octet_length(d.attributes::text) + ${overrideBytes(sql`d.id`)} + coalesce((
            select sum(octet_length(s.attributes::text) + ${overrideBytes(sql`s.id`)}) from service s
            where s.account_id = ${accountId} and s.device_id = d.id and ${isNoBulkService}), 0)
              <= ${limits.deletedBytes} as is_small
          offset 0
        ) as size
      where d.account_id = ${accountId} and d.id = any(${ids})
      offset 0
    ) as deleted`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}
