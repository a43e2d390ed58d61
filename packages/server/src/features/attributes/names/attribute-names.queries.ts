import type { ResolvedFilter } from '@muster/filter'
import { type Database, query } from '../../../db/database.ts'
import { insideText } from '../../filters/sql/reachable-devices.ts'
import { reservedColumns } from '../attributes.ts'

export interface NameCount {
  name: string
  devices: number
  services: number
}

export interface AttributeName extends NameCount {
  /** Null for a viewer who is restricted to some devices, or if no event that was read changed a value of the name. */
  lastChanged: Date | null
}

/** The devices and services whose attribute names a statement counts. */
interface Targets {
  /** Returns a FROM item that yields the rows of `table` as `alias`. `column` is the column with the target's ID. */
  from(table: 'device' | 'service' | 'attribute_override', alias: string, column: string): string
  condition(column: string): string
}

const targetsWhere = (condition: Targets['condition']): Targets => ({
  from: (table, alias) => `${table} ${alias}`,
  condition,
})

/**
 * The `offset 0` fence makes PostgreSQL look up each target by key. Without the fence and without statistics,
 * PostgreSQL may compare all pairs of rows.
 */
const reachedTargets: Targets = {
  from: (table, alias, column) =>
    `reached, lateral (select * from ${table} where account_id = $1 and ${column} = reached.id offset 0) as ${alias}`,
  condition: () => 'true',
}

/** The `offset 0` fences make PostgreSQL look up each device by key. Without them, it may compare all pairs of rows. */
const reservedNames = ({ from, condition }: Targets, overrides: string) => `
  select 'device' as kind, t.id, reserved.name
  from (select t.id from ${from('device', 't', 'id')} where t.account_id = $1 and ${overrides} and ${condition('t.id')} offset 0) as t,
    lateral (select * from device_live where account_id = $1 and device_id = t.id offset 0) as l,
    lateral (values ${[...reservedColumns].map(([subName, column]) => `('$svc.${subName}', l.${column})`).join(', ')})
      as reserved (name, value)
  where reserved.value is not null`

const baseNames = (targets: Targets, overrides: string) => `
  select 'device' as kind, t.id, used.name from ${targets.from('device', 't', 'id')}, attribute_names(t.attributes) as used
  where t.account_id = $1 and ${overrides} and ${targets.condition('t.id')}
  union all${reservedNames(targets, overrides)}
  union all
  select 'service', t.id, used.name from ${targets.from('service', 't', 'id')}, attribute_names(t.attributes) as used
  where t.account_id = $1 and ${overrides} and ${targets.condition('t.id')}`

/**
 * Only a target with overrides can have a name more than once, so only the names of such targets are deduplicated.
 * Deduplicating the names of all targets would take longer than the rest of the statement.
 */
const countText = (targets: Targets) => `
  select name,
    coalesce(sum(targets) filter (where kind = 'device'), 0)::int as devices,
    coalesce(sum(targets) filter (where kind = 'service'), 0)::int as services
  from (
    select kind, name, count(*) as targets from (${baseNames(targets, `t.override_names = '{}'`)}) as once
    group by kind, name
    union all
    select kind, name, count(*) from (
      select kind, id, name from (${baseNames(targets, `t.override_names <> '{}'`)}) as base
      union
      select case when d.id is null then 'service' else 'device' end, o.target_id, used.name
      from ${targets.from('attribute_override', 'o', 'target_id')}
        left join device d on d.account_id = o.account_id and d.id = o.target_id,
        attribute_names(o.attributes) as used
      where o.account_id = $1 and o.target_id <> $1 and ${targets.condition('o.target_id')}
    ) as several group by kind, name
  ) as counted group by name`

const countInRangeText = `${countText(targetsWhere((column) => `${column} > $2 and ${column} <= $3`))}
  order by sum(targets) desc limit $4`

export const countNamesInRange = (
  db: Database,
  accountId: string,
  { after, upTo, limit }: { after: string; upTo: string; limit: number },
) => query<NameCount>(db, countInRangeText, [accountId, after, upTo, limit])

/**
 * Counts the names on the devices that match `inside` and on the services of these devices. Returns the `limit` names
 * with the most targets.
 */
export function countNamesInside(
  db: Database,
  accountId: string,
  { inside, limit }: { inside: ResolvedFilter; limit: number },
): Promise<NameCount[]> {
  const { joins, condition, parameters } = insideText(db, accountId, { inside, used: 2 })
  const text = `with inside as materialized (
      select d.id from device d ${joins} where d.account_id = $1 and ${condition}
    ), reached as materialized (
      select id from inside
      union all
      select s.id from inside, lateral (
        select id from service where account_id = $1 and device_id = inside.id offset 0) as s
    ) ${countText(reachedTargets)} order by sum(targets) desc limit $2`
  return query(db, text, [accountId, limit, ...parameters])
}

/** Returns the ID of the last of the `count` devices that follow `after`, or undefined if fewer devices follow. */
export async function findRangeEnd(
  db: Database,
  accountId: string,
  { after, count }: { after: string; count: number },
): Promise<string | undefined> {
  const rows = await query<{ id: string }>(
    db,
    'select id from device where account_id = $1 and id > $2 order by id offset $3 limit 1',
    [accountId, after, count - 1],
  )
  return rows[0]?.id
}

const recentEvents = `
  recent as materialized (
    select type, device_id, targets, "timestamp", data from event
    where account_id = $1 and id > $2 order by id desc limit $3
  )`

/** The attribute names of a device and its services, from an event that moved the device to the account. */
const namesMovedIn = `jsonb_array_elements_text(
  case when type = 'DEVICE_TRANSFER' and data ->> 'direction' = 'in' then data -> 'attributeNames' end)`

export interface EventRange {
  after: bigint
  /** The maximum number of events to read, newest first. */
  limit: number
}

export interface RecentChanges {
  events: number
  hasRemovals: boolean
  /** The time when a value of each name last changed, in milliseconds since 1970. */
  names: Record<string, number>
}

export async function readRecentChanges(
  db: Database,
  accountId: string,
  { after, limit }: EventRange,
): Promise<RecentChanges> {
  const rows = await query<RecentChanges>(
    db,
    `with ${recentEvents}, changed as (
       select name, max("timestamp") as "timestamp" from (
         select "timestamp", jsonb_object_keys(data -> 'changes') as name from recent
         where type = 'ATTRIBUTE_CHANGE' and device_id is not null
         union all
         select "timestamp", registered.name from recent, attribute_names(data -> 'attributes') as registered
         where type = 'DEVICE_REGISTER'
         union all
         select "timestamp", moved.name from recent, ${namesMovedIn} as moved (name)
       ) as mentioned group by name
     )
     select count(*)::int as events,
       coalesce(bool_or(type in ('DEVICE_DELETE', 'DEVICE_TRANSFER', 'SERVICE_REMOVE')), false) as "hasRemovals",
       (select coalesce(jsonb_object_agg(name, (extract(epoch from "timestamp") * 1000)::bigint), '{}') from changed) as names
     from recent`,
    [accountId, after, limit],
  )
  return rows[0]!
}

export async function findRecentTargets(
  db: Database,
  accountId: string,
  { after, limit, names }: EventRange & { names: readonly string[] },
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `with ${recentEvents}
     select target.value ->> 'id' as id from recent, jsonb_array_elements(targets) as target
     where case type
       when 'ATTRIBUTE_CHANGE' then device_id is not null and data -> 'changes' ?| $4::text[]
       when 'DEVICE_REGISTER' then exists (
         select from attribute_names(data -> 'attributes') as registered where registered.name = any($4))
       when 'DEVICE_TRANSFER' then data -> 'attributeNames' ?| $4::text[]
       else false end
     union
     select service.id from recent join service on service.account_id = $1 and service.device_id = recent.device_id
     where type = 'DEVICE_TRANSFER' and data -> 'attributeNames' ?| $4::text[]`,
    [accountId, after, limit, names],
  )
  return rows.map(({ id }) => id)
}

const countOnTargetsText = `select * from (${countText(targetsWhere((column) => `${column} = any($2)`))}) as counts where name = any($3)`

export const countNamesOnTargets = (
  db: Database,
  accountId: string,
  { ids, names }: { ids: readonly string[]; names: readonly string[] },
) => query<NameCount>(db, countOnTargetsText, [accountId, ids, names])
