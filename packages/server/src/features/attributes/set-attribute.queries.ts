import { type Database, query } from '../../db/database.ts'
import { limits } from '../../limits.ts'
import { eventInsert, eventTargets } from '../events/event-insert.ts'
import type { EventSource } from '../events/event-types.ts'
import { type AttributeName, joinAttributeName } from './attribute-name.ts'
import { reservedColumns } from './attributes.ts'
import {
  asParameters,
  asRows,
  attributeChange,
  conflictOf,
  deviceTarget,
  isConfirmed,
  none,
  now,
  oldOf,
  timeOf,
  withinLimits,
  withReserved,
} from './sql/set-attribute-expressions.ts'

export interface BaseWrite {
  accountId: string
  targetId: string
  actorId: string | null
  source: EventSource
  name: AttributeName
  value: string | null
}

/**
 * Each of these functions returns true if the write succeeded. If the write violates a rule or removes a group, the
 * function changes nothing and returns false. For an unknown device or service, it returns undefined.
 */
export const setOnDevice = (db: Database, write: BaseWrite) => run(db, onDeviceText, write)
export const setOnService = (db: Database, write: BaseWrite) => run(db, onServiceText, write)
export const setOnAccount = (db: Database, write: BaseWrite) => run(db, onAccountText, write)
export const setReserved = (db: Database, write: BaseWrite) => run(db, onLiveTexts.get(write.name[1]!)!, write)

async function run(db: Database, text: string, write: BaseWrite): Promise<boolean | undefined> {
  const { accountId, targetId, actorId, source, name, value } = write
  const [first, subName = null] = name
  const parameters = [
    accountId,
    targetId,
    first,
    subName,
    value,
    joinAttributeName(name),
    actorId,
    JSON.stringify(source),
  ]
  const [row] = await query<{ allowed: boolean }>(db, text, parameters)
  return row?.allowed
}

/**
 * The result of the changes to a device:
 *
 * - `done`: the changes were applied
 * - `refused`: the changes violate a rule or remove a group
 * - `locked`: another transaction has locked the device, or deleted it while the statement waited for the lock
 * - null: the device is unknown
 */
export type Outcome = 'done' | 'refused' | 'locked' | null

/**
 * The changes to one device succeed or fail together. Changes that fail together may succeed one at a time. A top-level
 * name must not occur twice for a device. If `waits` is false, skips devices that another transaction has locked, so
 * two such statements never wait for each other.
 */
export async function setOnDevices(
  db: Database,
  accountId: string,
  { writes, waits }: { writes: readonly BaseWrite[]; waits: boolean },
): Promise<Outcome[]> {
  const column = <Value>(of: (write: BaseWrite) => Value): Value[] => writes.map(of)
  // Most writes share a few sources, so the statement parses each distinct source once. Parsing the source of every
  // write would take 5% of the statement's time.
  const sources = column(({ source }) => JSON.stringify(source))
  const distinctSources = [...new Set(sources)]
  const rows = await query<{ outcome: Outcome }>(db, waits ? onDevicesText : onUnlockedDevicesText, [
    accountId,
    column(({ targetId }) => targetId),
    column(({ name }) => name[0]),
    column(({ name }) => name[1] ?? null),
    column(({ value }) => value),
    column(({ actorId }) => actorId),
    sources.map((source) => distinctSources.indexOf(source) + 1),
    distinctSources,
  ])
  return rows.map(({ outcome }) => outcome)
}

/**
 * `target` first locks the row, so `change` reads the row's newest version and concurrent writers lose no values. The
 * event ID is assigned after the lock is acquired. If the value is unchanged, the statement writes at most the time of
 * the write. The parameters $1 to $8 are the account's ID, the target's ID, the two levels of the name, the value, the
 * full name, the actor's ID, and the source.
 */
const statement = (parts: {
  target: string
  old: string
  next: string
  write: string
  conflict: string
  allowed: string
}) => `
  with target as (${parts.target}
  ), judged as materialized (
    select *, ${parts.old} as old, ${parts.conflict} as conflict from target
  ), merged as materialized (
    select *, case when not conflict then ${parts.next} end as next, ${isConfirmed(asParameters)} as confirmed,
      ${now} as at from judged
  ), change as materialized (
    select *, not conflict and ($5::text is null or (${parts.allowed})) as allowed,
      case when $5::text is null then attribute_times - $6::text
        else attribute_times || jsonb_build_object($6::text, ${timeOf(asParameters)}) end as times
    from merged
  ), written as (${parts.write} and change.allowed and (change.old is distinct from $5::text or change.confirmed)
    returning 1
  ), recorded as (
    ${eventInsert({
      ...attributeChange({
        name: '$6::text',
        old: 'change.old',
        value: '$5::text',
        time: 'change.attribute_times -> $6::text',
      }),
      deviceId: 'change.device_id',
      actorId: '$7',
      source: '$8::jsonb',
      targets: 'change.targets',
      timestamp: 'change.at',
      from: 'written, change where change.old is distinct from $5::text',
    })}
  )
  select allowed from change`

const old = oldOf(asParameters)
const conflict = conflictOf(asParameters)

const next = `case
      when $4::text is null and $5::text is null then attributes - $3::text
      when $4::text is null then attributes || jsonb_build_object($3::text, $5::text)
      when $5::text is not null then attributes ||
        jsonb_build_object($3::text, coalesce(attributes -> $3::text, '{}') || jsonb_build_object($4::text, $5::text))
      when jsonb_typeof(attributes -> $3::text) is distinct from 'object' then attributes
      when (attributes -> $3::text) - $4::text = '{}' then attributes - $3::text
      else attributes || jsonb_build_object($3::text, (attributes -> $3::text) - $4::text)
    end`

const updateRow = (table: string) => `
    update ${table} t set attributes = change.next, attribute_times = change.times
    from change where t.account_id = $1 and t.id = $2`

const onDeviceText = statement({
  target: deviceTarget(),
  old,
  conflict,
  next,
  allowed: withinLimits({ count: 'reserved_count', attributes: withReserved }),
  write: updateRow('device'),
})

const onLiveTexts = new Map(
  [...reservedColumns].map(([subName, column]) => [
    subName,
    statement({
      target: deviceTarget({ more: `, l.${column} as old_value`, times: 'l.attribute_times' }),
      old: 'old_value',
      conflict: 'false',
      next: `attributes || jsonb_build_object($3::text, reserved || jsonb_build_object($4::text, $5::text))`,
      allowed: withinLimits({ ...none, count: 'reserved_count' }),
      write: `
    update device_live t set ${column} = $5::text, attribute_times = change.times
    from change where t.account_id = $1 and t.device_id = $2`,
    }),
  ]),
)

const onServiceText = statement({
  target: `
    select s.device_id, s.attributes, s.override_names, s.attribute_times,
      ${eventTargets({ id: 's.id', name: 's.name', kind: 'service' }, { id: 'd.id', name: 'd.name', kind: 'device' })} as targets
    from service s join device d on d.account_id = s.account_id and d.id = s.device_id
    where s.account_id = $1 and s.id = $2 for no key update of s`,
  old,
  conflict,
  next,
  allowed: withinLimits(none),
  write: updateRow('service'),
})

const onAccountText = statement({
  target: `
    select null as device_id, attributes, override_names, attribute_times,
      ${eventTargets({ id: 'id', name: "coalesce(nullif(coalesce(contact_name, name), ''), contact_email, email)", kind: 'user' })} as targets
    from account where id = $1 and id = $2 for no key update`,
  old,
  conflict,
  next,
  allowed: withinLimits(none),
  write: `
    update account t set attributes = change.next, attribute_times = change.times
    from change where t.id = $1 and t.id = $2`,
})

const onDevicesStatement = (locking: string) => `
  with asked as materialized (
    select *, concat_ws('.', name, sub_name) as full_name
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[])
      with ordinality as asked (target_id, name, sub_name, value, actor_id, source_number, number)
  ), target as (${deviceTarget({ isOne: 'd.id = any($2)' })}${locking}
  ), found as materialized (
    select asked.*, device_id, targets, attributes -> asked.name as present, attribute_times -> full_name as time,
      override_names -> asked.name ->> 0 as override
    from asked join target on target.device_id = asked.target_id
  ), judged as materialized (
    select *, ${conflictOf(asRows)} as conflict, ${isConfirmed(asRows)} as confirmed, ${now} as at
    from found cross join lateral (select ${oldOf(asRows)} as old) as compared
  ), merged as materialized (
    select device_id, bool_or(conflict) as conflict, bool_or(value is not null) as sets,
      bool_or(value is not null and old is null) as adds, bool_or(old is distinct from value or confirmed) as changes,
      jsonb_object_agg(full_name, case when value is not null then ${timeOf(asRows)} end) as noted,
      jsonb_object_agg(name, case
        when conflict then null
        when sub_name is null then to_jsonb(value)
        when value is not null then coalesce(present, '{}') || jsonb_build_object(sub_name, value)
        when jsonb_typeof(present) is distinct from 'object' then present
        else nullif(present - sub_name, '{}') end) as names
    from judged group by device_id
  ), next as materialized (
    -- Stored attributes and times are never null, so a null here removes the attribute.
    select *, jsonb_strip_nulls(attributes || names) as next, jsonb_strip_nulls(attribute_times || noted) as times
    from merged join target using (device_id)
  ), change as materialized (
    select device_id, next, times, changes, not conflict and (not sets
      or ((not adds or attribute_count(next) + reserved_count <= ${limits.namesPerTarget})
        and octet_length((next || ${withReserved})::text) <= ${limits.bytesPerTarget})) as allowed
    from next
  ), written as (
    update device t set attributes = change.next, attribute_times = change.times from change
    where t.account_id = $1 and t.id = any($2) and t.id = change.device_id and change.allowed and change.changes
    returning t.id
  ), recorded as (
    ${eventInsert({
      ...attributeChange({ name: 'full_name', old: 'old', value: 'value', time: 'time' }),
      deviceId: 'device_id',
      actorId: 'actor_id',
      source: '($8::jsonb[])[source_number]',
      targets: 'targets',
      timestamp: 'judged.at',
      from: 'judged join written on written.id = device_id where old is distinct from value',
    })}
  )
  select case when allowed then 'done' when not allowed then 'refused'
    when exists (select from device d where d.account_id = $1 and d.id = target_id) then 'locked' end as outcome
  from asked left join change on device_id = target_id order by number`

const onDevicesText = onDevicesStatement('')
const onUnlockedDevicesText = onDevicesStatement(' skip locked')
