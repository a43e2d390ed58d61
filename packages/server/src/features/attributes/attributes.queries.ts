import type { ReadableNames, ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import { type Database, query } from '../../db/database.ts'
import { plainArray } from '../../db/plain-array.ts'
import { sentTogether } from '../../db/sent-together.ts'
import type { DeviceFields, State } from '../devices/device.ts'
import { insideText } from '../filters/sql/reachable-devices.ts'
import { andReadableOverride } from '../filters/sql/readable-names.ts'
import { type Attributes, type ReservedValues, reservedColumns } from './attributes.ts'
import type { OverrideNames, ValueTimes } from './target.ts'

const columns = [...reservedColumns.values()]

export interface ReadRow {
  id: string
  name: string
  attributes: Attributes
  override_names: OverrideNames
}

export interface LockedRow extends ReadRow {
  attribute_times: ValueTimes
  /** When the row was locked, or slightly later. */
  locked_at: Date
}

/**
 * Wraps a statement that locks rows, and adds the current time to each row. Inside the locking statement, PostgreSQL
 * would evaluate the time before it acquires the locks.
 */
const withTime = (locking: string): string => `
  select locked.*, clock_timestamp()::timestamptz(3) as locked_at from (${locking}) as locked`

/**
 * Locks the given devices and the given services' devices, with their rows in device_live, in ID order. Omits devices
 * that the caller cannot reach. A service's device is locked because a concurrent removal of the device would also
 * remove the service. For a device that is not in `ids`, `named` is false, and the columns `attributes`,
 * `override_names`, and `attribute_times` are null.
 */
export function lockDevices(
  db: Database,
  accountId: string,
  { ids, inside }: { ids: readonly string[]; inside: ResolvedFilter | undefined },
): Promise<(LockedRow & { named: boolean; live_times: ValueTimes } & ReservedValues)[]> {
  const limited = inside && insideText(db, accountId, { inside, used: 2, hasLive: true })
  return query(
    db,
    withTime(`select d.id, d.name, d.id = any($2::text[]) as named,
       case when d.id = any($2::text[]) then d.attributes end as attributes,
       case when d.id = any($2::text[]) then d.override_names end as override_names,
       case when d.id = any($2::text[]) then d.attribute_times end as attribute_times,
       l.attribute_times as live_times, ${columns.map((column) => `l.${column}`).join(', ')}
     from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
     where d.account_id = $1 and d.id = any(array(
       select unnest($2::text[]) union select device_id from service where account_id = $1 and id = any($2::text[])))
     ${limited === undefined ? '' : `and ${limited.condition} `}order by d.id for no key update of d, l`),
    [accountId, ids, ...(limited?.parameters ?? [])],
  )
}

/**
 * Like `lockDevices`, but for one device and a caller without a restriction. Returns undefined for an unknown device.
 * On a cluster, these statements take far less time than the statement of `lockDevices`. Each of them selects by
 * account, reads a single table, and has no subquery. The row in device_live needs no lock, because every change to the
 * attributes in it locks the device first.
 */
export async function lockDevice(
  db: Database,
  accountId: string,
  id: string,
): Promise<(LockedRow & { live_times: ValueTimes } & ReservedValues) | undefined> {
  const [[device], [live]] = await sentTogether([
    query<Omit<LockedRow, 'locked_at'>>(
      db,
      `select id, name, attributes, override_names, attribute_times from device
       where account_id = $1 and id = $2 for no key update`,
      [accountId, id],
    ),
    query<Pick<LockedRow, 'locked_at'> & { live_times: ValueTimes } & ReservedValues>(
      db,
      `select attribute_times as live_times, ${columns.join(', ')}, clock_timestamp()::timestamptz(3) as locked_at
       from device_live where account_id = $1 and device_id = $2`,
      [accountId, id],
    ),
  ])
  return device && live && Object.assign(device, live)
}

/** Omits devices that the caller cannot reach. */
export function selectDevices(
  db: Database,
  accountId: string,
  { ids, inside }: { ids: readonly string[]; inside: ResolvedFilter | undefined },
): Promise<(ReadRow & DeviceFields & { state: State } & ReservedValues)[]> {
  const limited = inside && insideText(db, accountId, { inside, used: 2, hasLive: true })
  return query(
    db,
    `select d.id, d.name, d.hardware_id as "hardwareId", d.platform, l.state, d.attributes, d.override_names,
       ${columns.map((column) => `l.${column}`).join(', ')}
     from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
     where d.account_id = $1 and d.id = any($2::text[])${limited === undefined ? '' : ` and ${limited.condition}`}`,
    [accountId, ids, ...(limited?.parameters ?? [])],
  )
}

/** Locks services in ID order. The caller must already have locked their devices. */
export const lockServices = (
  db: Database,
  accountId: string,
  { ids, deviceIds }: { ids: readonly string[]; deviceIds: readonly string[] },
) =>
  query<LockedRow & { device_id: string }>(
    db,
    withTime(`select id, device_id, name, attributes, override_names, attribute_times from service
     where account_id = $1 and id = any($2::text[]) and device_id = any($3::text[]) order by id for no key update`),
    [accountId, ids, deviceIds],
  )

export async function lockAccount(db: Database, accountId: string): Promise<LockedRow> {
  const rows = await query<LockedRow>(
    db,
    withTime(`select id, coalesce(nullif(coalesce(contact_name, name), ''), contact_email, email) as name,
       attributes, override_names, attribute_times
     from account where id = $1 for no key update`),
    [accountId],
  )
  return rows[0]!
}

export interface OverrideRow {
  target_id: string
  context: string
  attributes: Attributes
}

export const findOverrides = (
  db: Database,
  accountId: string,
  { targetIds, context }: { targetIds: readonly string[]; context: string },
) =>
  query<OverrideRow>(
    db,
    `select target_id, context, attributes from attribute_override
     where account_id = $1 and target_id = any($2::text[]) and context = $3`,
    [accountId, plainArray(targetIds), context],
  )

export const listContexts = (db: Database, accountId: string, targetIds: readonly string[]) =>
  query<{ target_id: string; context: string }>(
    db,
    `select target_id, context from attribute_override
     where account_id = $1 and target_id = any($2::text[]) order by target_id, context`,
    [accountId, targetIds],
  )

export async function listReadableContexts(
  db: Database,
  accountId: string,
  { targetIds, readable }: { targetIds: readonly string[]; readable: ReadableNames },
): Promise<{ target_id: string; context: string }[]> {
  const { rows } = await sql<{ target_id: string; context: string }>`
    select x.target_id, x.context from attribute_override x
    where x.account_id = ${accountId} and x.target_id = any(${targetIds}::text[]) ${andReadableOverride(readable)}
    order by x.target_id, x.context`.execute(db)
  return rows
}

/** Lists all contexts in use on the targets, with overrides only for the given pairs of target and context. */
export const listContextsWithOverrides = (
  db: Database,
  accountId: string,
  pairs: { targetIds: readonly string[]; contexts: readonly string[] },
) =>
  query<Omit<OverrideRow, 'attributes'> & { attributes: Attributes | null; attribute_times: ValueTimes | null }>(
    db,
    `select target_id, context, case when is_wanted then attributes end as attributes,
       case when is_wanted then attribute_times end as attribute_times
     from attribute_override cross join lateral (
       select (target_id, context) in (select * from unnest($2::text[], $3::text[])) as is_wanted) as each
     where account_id = $1 and target_id = any($2::text[])`,
    [accountId, pairs.targetIds, pairs.contexts],
  )

export const findDeviceBases = (db: Database, accountId: string, ids: readonly string[]) =>
  query<{ id: string; attributes: Attributes } & ReservedValues>(
    db,
    `select d.id, d.attributes, ${columns.map((column) => `l.${column}`).join(', ')}
     from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
     where d.account_id = $1 and d.id = any($2::text[])`,
    [accountId, ids],
  )

export const findServiceBases = (db: Database, accountId: string, ids: readonly string[]) =>
  query<{ id: string; attributes: Attributes }>(
    db,
    'select id, attributes from service where account_id = $1 and id = any($2::text[])',
    [accountId, ids],
  )

export const findAccountBase = (db: Database, accountId: string) =>
  query<{ id: string; attributes: Attributes }>(db, 'select id, attributes from account where id = $1', [accountId])

/** The column that identifies the account, in each table that stores base attributes. */
const owners = { device: 't.account_id', service: 't.account_id', account: 't.id' } as const

export interface TargetRow {
  id: string
  /** The attributes, or undefined if they are unchanged. Omitting them avoids an update of the row's indexes. */
  attributes?: Attributes
  /** Present if `attributes` is present. */
  attribute_times?: ValueTimes
  override_names?: OverrideNames
}

/** On a cluster, this statement takes far less time than that of `updateTargets`. */
export const updateTarget = (
  db: Database,
  table: keyof typeof owners,
  accountId: string,
  { id, attributes, attribute_times, override_names }: TargetRow,
) =>
  query(
    db,
    `update ${table} t set attributes = coalesce($3::jsonb, t.attributes),
       attribute_times = coalesce($4::jsonb, t.attribute_times),
       override_names = coalesce($5::jsonb, t.override_names)
     where ${owners[table]} = $1 and t.id = $2`,
    [accountId, id, ...[attributes, attribute_times, override_names].map((each) => each && JSON.stringify(each))],
  )

// The planner cannot estimate the number of JSON rows. Without the redundant ID condition, it may scan the whole table.
export const updateTargets = (
  db: Database,
  table: keyof typeof owners,
  accountId: string,
  rows: readonly TargetRow[],
) =>
  query(
    db,
    `update ${table} t set attributes = coalesce(changed.attributes, t.attributes),
       attribute_times = coalesce(changed.attribute_times, t.attribute_times),
       override_names = coalesce(changed.override_names, t.override_names)
     from jsonb_to_recordset($2::jsonb) as changed
       (id text, attributes jsonb, attribute_times jsonb, override_names jsonb)
     where ${owners[table]} = $1 and t.id = any($3::text[]) and t.id = changed.id`,
    [accountId, JSON.stringify(rows), rows.map(({ id }) => id)],
  )

/** Sets all ten reserved values of each device, and their times. A value that is missing from `reserved` is cleared. */
export const updateReserved = (
  db: Database,
  accountId: string,
  rows: readonly { id: string; reserved: Record<string, string>; attribute_times: ValueTimes }[],
) =>
  query(
    db,
    `update device_live t set attribute_times = changed.attribute_times,
       ${columns.map((column) => `${column} = changed.${column}`).join(', ')}
     from jsonb_to_recordset($2::jsonb) as changed
       (id text, attribute_times jsonb, ${columns.map((column) => `${column} text`).join(', ')})
     where t.account_id = $1 and t.device_id = any($3::text[]) and t.device_id = changed.id`,
    [
      accountId,
      JSON.stringify(rows.map(({ reserved, ...row }) => ({ ...row, ...reserved }))),
      rows.map(({ id }) => id),
    ],
  )

export const upsertOverrides = (
  db: Database,
  accountId: string,
  rows: readonly (OverrideRow & { attribute_times: ValueTimes })[],
) =>
  query(
    db,
    `insert into attribute_override (account_id, target_id, context, attributes, attribute_times)
     select $1, target_id, context, attributes, attribute_times
     from jsonb_to_recordset($2::jsonb) as changed
       (target_id text, context text, attributes jsonb, attribute_times jsonb)
     on conflict (account_id, target_id, context) do update
     set attributes = excluded.attributes, attribute_times = excluded.attribute_times`,
    [accountId, JSON.stringify(rows)],
  )

/** The lists have the same length. The two elements at each index form a pair of target and context. */
export const deleteOverrides = (
  db: Database,
  accountId: string,
  targetIds: readonly string[],
  contexts: readonly string[],
) =>
  query(
    db,
    `delete from attribute_override o using unnest($2::text[], $3::text[]) as gone (target_id, context)
     where o.account_id = $1 and o.target_id = gone.target_id and o.context = gone.context`,
    [accountId, targetIds, contexts],
  )
