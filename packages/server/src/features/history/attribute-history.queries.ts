import type { ReadableNames } from '@muster/filter'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Event } from '../events/event.ts'
import type { Sql } from '../filters/sql/filter-scope.ts'
import { isReadable } from '../filters/sql/readable-names.ts'

export interface ChangeRow extends Event {
  targetId: string
  name: string
  context: string | null
  old: string | null
  new: string | null
}

/** An omitted field matches all changes. */
export interface ChangeFilter {
  /** The name of an attribute, or of a group, which matches every name in the group. */
  name?: string
  /** Omitted if the caller can read all names. */
  readable?: ReadableNames
  context?: string
  /** The start of the time range, inclusive. */
  from?: Date
  /** The end of the time range, exclusive. */
  until?: Date
}

/** A position in a list of changes. Without a name, it is after all changes in the event. */
export interface ChangePlace {
  eventId: string
  name?: string
}

export interface ChangeSlice {
  filter: ChangeFilter
  after?: ChangePlace | undefined
  limit: number
}

/** The device, the service, or the account that has the attributes. `deviceId` is null for the account. */
export interface Owner {
  id: string
  deviceId: string | null
}

/** Selects the changes in an event. The event of a device's registration contains the device's first values. */
const changesInEvent = sql.raw(`
  select change.key as name, change.value ->> 'old' as old, change.value ->> 'new' as new
  from jsonb_each(case when e.type = 'ATTRIBUTE_CHANGE' then e.data -> 'changes' end) as change
  union all
  select case when member.key is null then first.key else first.key || '.' || member.key end, null,
    case when member.key is null then first.value #>> '{}' else member.value end
  from jsonb_each(case when e.type = 'DEVICE_REGISTER' then nullif(e.data -> 'attributes', 'null') end) as first
    left join lateral jsonb_each_text(case when jsonb_typeof(first.value) = 'object' then first.value end) as member on true
  where first.value <> 'null' and (member.key is null or member.value is not null)`)

const and = (conditions: readonly Sql[]): Sql => sql.join([...conditions], sql` and `)

function eventConditions(accountId: string, filter: ChangeFilter, { ofDevice }: { ofDevice: boolean }): Sql[] {
  const conditions = [sql`event.account_id = ${accountId}`, sql`event.targets -> 0 ->> 'id' = owner.id`]
  // PostgreSQL uses the partial index of the account's own changes only with the conditions in the `else` branch.
  if (ofDevice) {
    conditions.push(sql`event.device_id = owner.device_id`)
    conditions.push(
      filter.context === undefined
        ? sql`event.type in ('ATTRIBUTE_CHANGE', 'DEVICE_REGISTER')`
        : sql`event.type = 'ATTRIBUTE_CHANGE'`,
    )
  } else conditions.push(sql`event.device_id is null and event.type = 'ATTRIBUTE_CHANGE'`)
  if (filter.context !== undefined) conditions.push(sql`event.data ->> 'context' = ${filter.context}`)
  if (filter.from !== undefined) conditions.push(sql`event."timestamp" >= ${filter.from}`)
  if (filter.until !== undefined) conditions.push(sql`event."timestamp" < ${filter.until}`)
  return conditions
}

function changeConditions({ name, readable }: ChangeFilter): Sql[] {
  return [
    name === undefined ? sql`true` : sql`(c.name = ${name} or starts_with(c.name, ${`${name}.`}))`,
    ...(readable === undefined ? [] : [isReadable(sql`c.name`, readable)]),
  ]
}

/** Either all owners must be devices and services, or the only owner must be the account. */
export async function selectChanges(
  db: Database,
  accountId: string,
  { owners, slice }: { owners: readonly Owner[]; slice: ChangeSlice },
): Promise<ChangeRow[]> {
  const { filter, after, limit } = slice
  const events = eventConditions(accountId, filter, { ofDevice: owners[0]?.deviceId !== null })
  const changes = changeConditions(filter)
  if (after !== undefined) {
    const isExclusive = after.name === undefined
    events.push(isExclusive ? sql`event.id < ${after.eventId}::bigint` : sql`event.id <= ${after.eventId}::bigint`)
    if (!isExclusive) {
      changes.push(sql`(e.number < ${after.eventId}::bigint or c.name collate "C" > ${after.name} collate "C")`)
    }
  }
  const { rows } = await sql<ChangeRow>`
    select found.* from unnest(${owners.map(({ id }) => id)}::text[], ${owners.map(({ deviceId }) => deviceId)}::text[])
      as owner (id, device_id)
    cross join lateral (
      select owner.id as "targetId", e.id, e.type, e."timestamp", e."deviceId", e."actorId", e.source, e.targets, e.state, e.data,
        c.name, case when e.type = 'ATTRIBUTE_CHANGE' then e.data ->> 'context' end as context, c.old, c.new
      from (
        select event.id as number, event.id::text, type, "timestamp", event.device_id as "deviceId", actor_id as "actorId",
          source, targets, state, data
        from event where ${and(events)} order by event.id desc) as e
      cross join lateral (${changesInEvent}) as c
      where ${and(changes)}
      order by e.number desc, c.name collate "C" limit ${limit}) as found`.execute(db)
  return rows
}

/** Returns the number of changes, keyed by owner ID. Omits owners without changes. */
export async function countChanges(
  db: Database,
  accountId: string,
  { owners, filter }: { owners: readonly Owner[]; filter: ChangeFilter },
): Promise<Map<string, number>> {
  const events = eventConditions(accountId, filter, { ofDevice: owners[0]?.deviceId !== null })
  const { rows } = await sql<{ id: string; count: number }>`
    select owner.id, count(*)::int as count
    from unnest(${owners.map(({ id }) => id)}::text[], ${owners.map(({ deviceId }) => deviceId)}::text[])
      as owner (id, device_id)
    cross join lateral (select type, data from event where ${and(events)}) as e
    cross join lateral (${changesInEvent}) as c
    where ${and(changeConditions(filter))} group by owner.id`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** The context is null for a base value. */
export interface OwnedValue {
  owner: Owner
  name: string
  context: string | null
  value: string
}

/**
 * Returns the time at which each value was set, in the order of the values. A time is null if no stored event contains
 * the change. The comparison with the value ignores a change that was made after the value was read. Either all owners
 * must be devices and services, or the only owner must be the account.
 */
export async function selectChangeTimes(
  db: Database,
  accountId: string,
  values: readonly OwnedValue[],
): Promise<(Date | null)[]> {
  const owners = [...new Map(values.map(({ owner }) => [owner.id, owner])).values()]
  const events = eventConditions(accountId, {}, { ofDevice: owners[0]?.deviceId !== null })
  const { rows } = await sql<{ position: number; timestamp: Date }>`
    select distinct on (wanted.position) wanted.position::int, e."timestamp"
    from unnest(${owners.map(({ id }) => id)}::text[], ${owners.map(({ deviceId }) => deviceId)}::text[])
      as owner (id, device_id)
    cross join lateral (select id, type, "timestamp", data from event where ${and(events)}) as e
    cross join lateral (${changesInEvent}) as c
    join unnest(
      ${values.map(({ owner }) => owner.id)}::text[], ${values.map(({ name }) => name)}::text[],
      ${values.map(({ context }) => context)}::text[], ${values.map(({ value }) => value)}::text[]
    ) with ordinality as wanted (id, name, context, value, position)
      on wanted.id = owner.id and wanted.name = c.name and wanted.value = c.new
        and coalesce(wanted.context, '') = case when e.type = 'ATTRIBUTE_CHANGE' then coalesce(e.data ->> 'context', '') else '' end
    order by wanted.position, e.id desc`.execute(db)
  const times = new Map(rows.map(({ position, timestamp }) => [position - 1, timestamp]))
  return values.map((_value, index) => times.get(index) ?? null)
}

/** Returns the name of the oldest month's partition of the event log: event_YYYY_MM. */
export async function findOldestPartition(db: Database): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select min(child.relname)::text as name from pg_inherits join pg_class as child on child.oid = inhrelid
    where inhparent = 'event'::regclass and child.relname ~ '^event_[0-9]{4}_[0-9]{2}$'`.execute(db)
  return rows[0]!.name
}
