import { type Database, query } from '../../db/database.ts'
import type { ServiceFields } from './new-service.ts'
import type { RemovedService } from './service-changes.queries.ts'

export interface StoredService extends ServiceFields {
  id: string
  deviceId: string
  attributes: Record<string, unknown>
  overrideNames: Record<string, unknown>
  /** The overrides, keyed by context. */
  overrides: Record<string, Record<string, unknown>>
  times: Record<string, unknown>
  /** The times of the overrides, keyed by context. */
  overrideTimes: Record<string, Record<string, unknown>>
  readAt: Date
}

export const selectStoredServices = (
  db: Database,
  accountId: string,
  deviceIds: readonly string[],
): Promise<StoredService[]> =>
  query<StoredService>(
    db,
    `select s.id, s.device_id as "deviceId", s.name, s.application, s.host, s.port, s.enabled, s.attributes,
       s.override_names as "overrideNames", s.attribute_times as times, statement_timestamp()::timestamptz(3) as "readAt",
       case when s.override_names = '{}' then '{}'::jsonb else coalesce((
         select jsonb_object_agg(o.context, o.attributes) from attribute_override o
         where o.account_id = $1 and o.target_id = s.id), '{}') end as overrides,
       case when s.override_names = '{}' then '{}'::jsonb else coalesce((
         select jsonb_object_agg(o.context, o.attribute_times) from attribute_override o
         where o.account_id = $1 and o.target_id = s.id), '{}') end as "overrideTimes"
     from service s where s.account_id = $1 and s.device_id = any($2::text[]) order by s.id`,
    [accountId, deviceIds],
  )

const columns = '(id text, "deviceId" text, name text, application integer, host text, port integer, enabled boolean)'

export const insertServices = (
  db: Database,
  accountId: string,
  services: readonly (ServiceFields & { id: string; deviceId: string })[],
) =>
  query(
    db,
    `insert into service (account_id, device_id, id, name, application, host, port, enabled)
     select $1, "deviceId", id, name, application, host, port, enabled from jsonb_to_recordset($2::jsonb) as row ${columns}`,
    [accountId, JSON.stringify(services)],
  )

export const updateServices = (
  db: Database,
  accountId: string,
  services: readonly (ServiceFields & { id: string })[],
) =>
  query(
    db,
    `update service t set name = row.name, application = row.application, host = row.host, port = row.port,
       enabled = row.enabled
     from jsonb_to_recordset($2::jsonb) as row ${columns}
     where t.account_id = $1 and t.id = any($3::text[]) and t.id = row.id`,
    [accountId, JSON.stringify(services), services.map(({ id }) => id)],
  )

/** Deletes services and their overrides. Returns each service's data that is not in `ServiceFields`. */
export const deleteServices = (db: Database, accountId: string, ids: readonly string[]) =>
  query<{ id: string; removed: RemovedService }>(
    db,
    `with overrides as (
       delete from attribute_override where account_id = $1 and target_id = any($2::text[])
       returning target_id, context, attributes, attribute_times
     ), removed as (
       delete from service where account_id = $1 and id = any($2::text[]) returning id, created, attributes, attribute_times
     )
     select removed.id, jsonb_build_object('created', created, 'attributes', attributes,
         'overrides', coalesce(
           (select jsonb_object_agg(context, o.attributes) from overrides o where o.target_id = removed.id), '{}'),
         'times', removed.attribute_times,
         'overrideTimes', coalesce(
           (select jsonb_object_agg(context, o.attribute_times) from overrides o where o.target_id = removed.id), '{}'),
         'state', live.state, 'stateSince', live.state_since, 'lastReported', live.last_reported) as removed
     from removed left join service_live live on live.account_id = $1 and live.service_id = removed.id`,
    [accountId, ids],
  )
