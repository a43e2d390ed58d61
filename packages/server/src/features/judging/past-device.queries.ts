import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Sql } from '../filters/sql/filter-scope.ts'
import { isNoBulkService } from '../filters/sql/value-source.ts'
import type { Needs } from './needs.ts'
import type { DeviceRows, LiveRow, OverrideRow, PastEvent, ServiceLiveRow, ServiceRow } from './past-device.ts'

/** A device with a range of event IDs. `first` and `last` are inclusive. */
export interface AskedDevice {
  id: string
  first: string
  last: string
}

/** A device's current rows, and the events to undo, which are in the range or after it. */
export interface FoundDevice {
  id: string
  device: DeviceRows['device'] | null
  live: LiveRow | null
  overrides: OverrideRow[] | null
  services: ServiceRow[] | null
  serviceLives: ServiceLiveRow[] | null
  /** The events in the range, oldest first. */
  inside: PastEvent[] | null
  /**
   * The events after the range, oldest first. Of the changes to the same attribute value or state, contains only the
   * first. The old value in that change is the value at the end of the range.
   */
  later: PastEvent[] | null
}

/**
 * Reads the rows and the events of devices in one statement. One statement has one snapshot, so the rows and the events
 * are consistent even if other transactions commit in the meantime.
 */
export async function selectPastDevices(
  db: Database,
  accountId: string,
  { devices, needs }: { devices: readonly AskedDevice[]; needs: Needs },
): Promise<FoundDevice[]> {
  const { names, overrides, services, types, times } = needs
  const timesIn = (table: string): Sql => (times ? sql.ref(`${table}.attribute_times`) : sql`'{}'::jsonb`)
  const unless = (isNeeded: boolean, query: Sql): Sql => (isNeeded ? sql`(${query})` : sql`null::jsonb`)
  const attributeChanges = types.includes('ATTRIBUTE_CHANGE')
  const { rows } = await sql<FoundDevice>`
    select asked.id,
      (select jsonb_build_object('id', d.id, 'name', d.name, 'hardware_id', d.hardware_id, 'platform', d.platform,
          'created', d.created, 'attributes', ${only(names, sql`d.attributes`)}, 'attribute_times', ${timesIn('d')})
        from device d where d.account_id = ${accountId} and d.id = asked.id) as device,
      (select to_jsonb(l) - 'account_id' - 'device_id' || jsonb_build_object('attribute_times', ${timesIn('l')})
        from device_live l where l.account_id = ${accountId} and l.device_id = asked.id) as live,
      ${unless(
        overrides,
        sql`select jsonb_agg(jsonb_build_object('target_id', o.target_id, 'context', o.context,
            'attributes', ${only(names, sql`o.attributes`)}, 'attribute_times', ${timesIn('o')}))
          from attribute_override o where o.account_id = ${accountId} and o.target_id in (
            select asked.id
            union all select s.id from service s where s.account_id = ${accountId} and s.device_id = asked.id)`,
      )} as overrides,
      ${unless(
        services,
        sql`select jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name, 'application', s.application, 'host', s.host,
            'port', s.port, 'enabled', s.enabled, 'created', s.created,
            'attributes', ${only(names, sql`s.attributes`)}, 'attribute_times', ${timesIn('s')}))
          from service s where s.account_id = ${accountId} and s.device_id = asked.id and ${isNoBulkService}`,
      )} as services,
      ${unless(
        services,
        sql`select jsonb_agg(jsonb_build_object('service_id', live.service_id, 'state', live.state,
            'state_since', live.state_since, 'last_reported', live.last_reported))
          from service_live live where live.account_id = ${accountId} and live.device_id = asked.id`,
      )} as "serviceLives",
      (select jsonb_agg(${asJson(changesOf(names))} order by e.id)
        from event e where e.account_id = ${accountId} and e.device_id = asked.id
          and e.id >= asked.first and e.id <= asked.last and e.type = any(${types}) and ${isRelevant(names)}) as inside,
      (select jsonb_agg(one.event order by one.id) from (
        ${attributeChanges ? sql`${firstAttributeChanges(accountId, names)} union all` : sql``}
        ${firstStateChanges(accountId, types)} union all
        select e.id, ${asJson(sql`e.data`)} from event e
        where e.account_id = ${accountId} and e.device_id = asked.id and e.id > asked.last
          and e.type = any(${types}) and e.type <> all('{ATTRIBUTE_CHANGE,DEVICE_STATE,SERVICE_STATE}')
      ) as one (id, event)) as later
    from unnest(${devices.map(({ id }) => id)}::text[], ${devices.map(({ first }) => first)}::bigint[],
      ${devices.map(({ last }) => last)}::bigint[]) as asked (id, first, last)`.execute(db)
  return rows
}

const target = sql`(e.targets -> 0 ->> 'id')`

const asJson = (data: Sql): Sql => sql`jsonb_build_object('id', e.id::text, 'type', e.type, 'target', ${target},
  'state', e.state, 'data', ${data}, 'previous', e.previous)`

const only = (names: Needs['names'], attributes: Sql): Sql =>
  names === undefined
    ? attributes
    : sql`coalesce((select jsonb_object_agg(part.key, part.value) from jsonb_each(${attributes}) as part
        where part.key = any(${names})), '{}')`

const isNamed = (names: Needs['names'], key: Sql): Sql =>
  names === undefined ? sql`true` : sql`split_part(${key}, '.', 1) = any(${names})`

const changesOf = (names: Needs['names']): Sql => sql`case when e.type <> 'ATTRIBUTE_CHANGE' then e.data
  else jsonb_build_object('context', e.data -> 'context', 'changes',
    (select jsonb_object_agg(part.key, part.value) from jsonb_each(e.data -> 'changes') as part
      where ${isNamed(names, sql`part.key`)})) end`

const isRelevant = (names: Needs['names']): Sql =>
  names === undefined
    ? sql`true`
    : sql`(e.type <> 'ATTRIBUTE_CHANGE' or exists (
        select from jsonb_object_keys(e.data -> 'changes') as part (key) where ${isNamed(names, sql`part.key`)}))`

function firstAttributeChanges(accountId: string, names: Needs['names']): Sql {
  return sql`
    select first.id, jsonb_build_object('id', first.id::text, 'type', 'ATTRIBUTE_CHANGE', 'target', first.target,
      'state', null, 'previous', first.previous, 'data', jsonb_build_object('context', first.context,
        'changes', jsonb_build_object(first.key, first.value)))
    from (
      select distinct on (${target}, e.data ->> 'context', part.key)
        e.id, ${target} as target, e.data ->> 'context' as context, part.key, part.value, e.previous
      from event e cross join lateral jsonb_each(e.data -> 'changes') as part
      where e.account_id = ${accountId} and e.device_id = asked.id and e.id > asked.last
        and e.type = 'ATTRIBUTE_CHANGE' and ${isNamed(names, sql`part.key`)}
      order by ${target}, e.data ->> 'context', part.key, e.id
    ) as first`
}

function firstStateChanges(accountId: string, types: Needs['types']): Sql {
  const ofStates = types.filter((type) => type === 'DEVICE_STATE' || type === 'SERVICE_STATE')
  return sql`(select distinct on (${target}) e.id, ${asJson(sql`e.data`)} from event e
    where e.account_id = ${accountId} and e.device_id = asked.id and e.id > asked.last and e.type = any(${ofStates})
    order by ${target}, e.id)`
}
