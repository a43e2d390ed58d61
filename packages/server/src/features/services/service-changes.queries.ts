import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { allOf } from '../../db/sorted-page.ts'
import { limits } from '../../limits.ts'
import type { ValueTimes } from '../attributes/target.ts'
import { noTables } from '../filters/sql/filter-scope.ts'
import { insideCondition } from '../filters/sql/reachable-devices.ts'
import type { ServiceFields } from './new-service.ts'

export interface LockedService extends ServiceFields {
  id: string
  deviceId: string
  deviceName: string
}

/** Returns undefined if the account has no such service, or if `inside` does not match its device. */
export async function lockService(
  db: Database,
  accountId: string,
  { id, inside }: { id: string; inside: ResolvedFilter | undefined },
): Promise<LockedService | undefined> {
  const tables = noTables()
  const conditions = inside === undefined ? [] : [insideCondition(accountId, inside, tables)]
  const live = tables.live
    ? sql` join device_live l on l.account_id = s.account_id and l.device_id = s.device_id`
    : sql``
  const { rows } = await sql<LockedService>`
    select s.id, s.device_id as "deviceId", d.name as "deviceName", s.name, s.application, s.host, s.port, s.enabled
    from service s join device d on d.account_id = s.account_id and d.id = s.device_id${live}
    where ${allOf([sql`s.account_id = ${accountId}`, sql`s.id = ${id}`, ...conditions])} for no key update of s`.execute(
    db,
  )
  return rows[0]
}

/** The caller must have locked the device. Otherwise, concurrent additions could exceed the limit. */
export async function countServices(db: Database, accountId: string, deviceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from service where account_id = ${accountId} and device_id = ${deviceId}`.execute(db)
  return rows[0]!.count
}

export async function insertService(
  db: Database,
  accountId: string,
  { id, deviceId, name, application, host, port, enabled }: ServiceFields & { id: string; deviceId: string },
): Promise<void> {
  await sql`
    insert into service (account_id, device_id, id, name, application, host, port, enabled)
    values (${accountId}, ${deviceId}, ${id}, ${name}, ${application}, ${host}, ${port}, ${enabled})`.execute(db)
}

export async function updateServiceRow(
  db: Database,
  accountId: string,
  { id, name, application, host, port, enabled }: ServiceFields & { id: string },
): Promise<void> {
  await sql`
    update service set name = ${name}, application = ${application}, host = ${host}, port = ${port}, enabled = ${enabled}
    where account_id = ${accountId} and id = ${id}`.execute(db)
}

/**
 * Deletes a service. Returns the service's data that is not in `ServiceFields`. Returns undefined if that data is too
 * large to keep, or if the service does not exist.
 */
export async function deleteServiceRow(
  db: Database,
  accountId: string,
  id: string,
): Promise<RemovedService | undefined> {
  const { rows } = await sql<{ removed: RemovedService | null }>`
    with overrides as (
      delete from attribute_override where account_id = ${accountId} and target_id = ${id}
      returning context, attributes, attribute_times
    ), removed as (
      delete from service where account_id = ${accountId} and id = ${id} returning created, attributes, attribute_times
    )
    select jsonb_build_object('created', created, 'attributes', attributes,
        'overrides', coalesce((select jsonb_object_agg(context, attributes) from overrides), '{}'),
        'times', attribute_times,
        'overrideTimes', coalesce((select jsonb_object_agg(context, attribute_times) from overrides), '{}'),
        'state', live.state, 'stateSince', live.state_since, 'lastReported', live.last_reported) as removed
    from removed left join service_live live on live.account_id = ${accountId} and live.service_id = ${id}`.execute(db)
  const removed = rows[0]?.removed
  return removed == null || Buffer.byteLength(JSON.stringify(removed)) > limits.deletedBytes ? undefined : removed
}

/** A deleted service's data that is not in `ServiceFields`. Timestamps have the format that PostgreSQL uses in JSON. */
export interface RemovedService extends Record<string, unknown> {
  created: string
  attributes: Record<string, unknown>
  /** The overrides, keyed by context. */
  overrides: Record<string, unknown>
  times: ValueTimes
  /** The times of the overrides, keyed by context. */
  overrideTimes: Record<string, ValueTimes>
  /** The reported state, or null if the service had its device's state. */
  state: string | null
  stateSince: string | null
  lastReported: string | null
}
