import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { DeviceFields, State } from '../devices/device.ts'
import type { ReadFilter } from '../filters/read-filter.ts'
import { filterCondition } from '../filters/sql/conditions.ts'
import { noTables, type Sql } from '../filters/sql/filter-scope.ts'
import { insideCondition } from '../filters/sql/reachable-devices.ts'
import { overridesIn } from '../filters/sql/value-source.ts'
import { isVisibleItem } from './access/visible-jobs.ts'
import type { BulkItem, BulkItemStatus, DeviceChanges } from './bulk-job.ts'
import { type Place, rowOf } from './bulk-rows.queries.ts'

export interface JobFilter {
  where: ReadFilter
  context: string | undefined
  now: Date
  /** Matches the devices that the caller can reach. Undefined if the caller can reach all devices. */
  inside: ResolvedFilter | undefined
}

/** The devices that a filter is applied to: those with the given IDs, or those with an ID in the given range. */
type Among = { ids: readonly string[] } | { after: string; upTo: string }

const isAmong = (among: Among | undefined): Sql => {
  if (among === undefined) return sql`true`
  return 'ids' in among ? sql`d.id = any(${among.ids})` : sql`d.id > ${among.after} and d.id <= ${among.upTo}`
}

export async function selectMatching(
  db: Database,
  accountId: string,
  { filter: { where, context, now, inside }, among, limit }: { filter: JobFilter; among?: Among; limit?: number },
): Promise<{ id: string; name: string }[]> {
  const tables = noTables()
  const condition = filterCondition(where.filter, { accountId, context, now: now.getTime(), tables })
  const reached = inside === undefined ? sql`true` : insideCondition(accountId, inside, tables)
  const { rows } = await sql<{ id: string; name: string }>`
    select d.id, d.name from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    ${tables.overrides ? overridesIn(context!, 'device') : sql``}
    where d.account_id = ${accountId} and ${isAmong(among)} and ${condition} and ${reached}
    ${limit === undefined ? sql`` : sql`limit ${limit}`}`.execute(db)
  return rows
}

/** Returns the ID of the last of the `limit` devices that follow `after`, or null if no devices remain. */
export async function selectRangeEnd(
  db: Database,
  accountId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`
    select max(id) as id from (
      select id from device where account_id = ${accountId} and id > ${after} order by id limit ${limit}) as next`.execute(
    db,
  )
  return rows[0]!.id
}

/** Inserts the devices in ID order, because later statements read and change them in this order. */
export async function insertItems(
  db: Database,
  { accountId, jobId }: Place,
  found: readonly { id: string; name: string }[],
): Promise<void> {
  await sql`
    insert into bulk_item (account_id, job_id, device_id, name)
    select ${accountId}, ${jobId}, id, name
    from unnest(${found.map(({ id }) => id)}::text[], ${found.map(({ name }) => name)}::text[]) as found (id, name)
    order by id collate "C"`.execute(db)
}

/** Returns the IDs that the job already contained. */
export async function insertIds(db: Database, { accountId, jobId }: Place, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with given as (select unnest(${ids}::text[]) as id),
    added as (
      insert into bulk_item (account_id, job_id, device_id) select ${accountId}, ${jobId}, id from given
      on conflict do nothing returning device_id)
    select id from given where id not in (select device_id from added)`.execute(db)
  return rows.map(({ id }) => id)
}

interface ItemsOfJob {
  from: string
  statuses: readonly BulkItemStatus[]
  after: string
  limit: number
  inside: ResolvedFilter | undefined
}

export async function selectItemsOf(
  db: Database,
  accountId: string,
  { from, statuses, after, limit, inside }: ItemsOfJob,
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select item.device_id as id, item.name from bulk_item item
    where item.account_id = ${accountId} and item.job_id = ${from} and item.status = any(${statuses})
      and item.device_id > ${after} and ${isVisibleItem(accountId, inside)}
    order by item.device_id limit ${limit}`.execute(db)
  return rows
}

export async function deleteItems(db: Database, { accountId, jobId }: Place): Promise<void> {
  await sql`delete from bulk_item where account_id = ${accountId} and job_id = ${jobId}`.execute(db)
}

/** Returns the number of deleted items. */
export async function deleteSomeItems(db: Database, { accountId, jobId }: Place, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from bulk_item where account_id = ${accountId} and job_id = ${jobId} and device_id in (
      select device_id from bulk_item where account_id = ${accountId} and job_id = ${jobId} limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}

export interface UnplannedItem {
  id: string
  name: string
  /** Whether the item already contains the device to register. If so, only conflicts with other devices are checked. */
  isPrepared: boolean
  /** The hardware ID of a prepared device. */
  hardwareId: string | null
  /** The stored size, in bytes, of the changes that the item already contains. */
  bytes: number
}

export async function selectUnplanned(
  db: Database,
  { accountId, jobId }: Place,
  { after, limit }: { after: string | null; limit: number },
): Promise<UnplannedItem[]> {
  const { rows } = await sql<UnplannedItem>`
    select device_id as id, name, coalesce(outcome = 'REGISTER' and status = 'PENDING', false) as "isPrepared",
      changes -> 'register' ->> 'hardwareId' as "hardwareId", pg_column_size(changes) as bytes
    from bulk_item where account_id = ${accountId} and job_id = ${jobId} and device_id > ${after ?? ''}
    order by device_id limit ${limit}`.execute(db)
  return rows
}

export async function writePlans(
  db: Database,
  { accountId, jobId }: Place,
  items: readonly Omit<BulkItem, 'eventIds'>[],
): Promise<void> {
  if (items.length === 0) return
  await sql`
    update bulk_item t set outcome = row.outcome, status = row.status, reason = row.reason, changes = row.changes,
      code = row.code, message = row.message, name = row.name, event_ids = '{}', row = ${rowOf(sql`t`)}
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as row
      (id text, name text, outcome text, status text, reason text, changes jsonb, code text, message text)
    where t.account_id = ${accountId} and t.job_id = ${jobId} and t.device_id = any(${items.map(({ id }) => id)})
      and t.device_id = row.id`.execute(db)
}

export interface EarlierChanges {
  changes: DeviceChanges
  /** Whether an earlier undo has already restored the services that the job removed from the device. */
  isRestored: boolean
}

export async function selectChangesOf(
  db: Database,
  { accountId, jobId }: Place,
  ids: readonly string[],
): Promise<Map<string, EarlierChanges>> {
  const { rows } = await sql<EarlierChanges & { id: string }>`
    select item.device_id as id, item.changes, exists (
        select from bulk_job undo join bulk_item done on done.account_id = undo.account_id and done.job_id = undo.id
        where undo.account_id = ${accountId} and undo.undo_of = ${jobId} and done.device_id = item.device_id
          and done.status = 'DONE' and done.changes -> 'addService' is not null) as "isRestored"
    from bulk_item item
    where item.account_id = ${accountId} and item.job_id = ${jobId} and item.device_id = any(${ids})`.execute(db)
  return new Map(rows.map(({ id, ...earlier }) => [id, earlier]))
}

export interface FieldsRow extends DeviceFields {
  id: string
  state: State
}

/** Omits devices that the caller cannot reach. */
export async function selectFields(
  db: Database,
  accountId: string,
  { ids, inside }: { ids: readonly string[]; inside: ResolvedFilter | undefined },
): Promise<FieldsRow[]> {
  const reached = inside === undefined ? sql`true` : insideCondition(accountId, inside, noTables())
  const { rows } = await sql<FieldsRow>`
    select d.id, d.name, d.hardware_id as "hardwareId", d.platform, l.state
    from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    where d.account_id = ${accountId} and d.id = any(${ids}) and ${reached}`.execute(db)
  return rows
}

/** Returns the device IDs, keyed by hardware ID. */
export async function selectHardwareIds(
  db: Database,
  accountId: string,
  hardwareIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; hardwareId: string }>`
    select id, hardware_id as "hardwareId" from device
    where account_id = ${accountId} and hardware_id = any(${hardwareIds})`.execute(db)
  return new Map(rows.map(({ id, hardwareId }) => [hardwareId, id]))
}

/**
 * Returns the IDs of pending devices, keyed by the hardware ID that the job gives them. Omits devices with IDs above
 * `upTo`.
 */
export async function selectPlannedHardwareIds(
  db: Database,
  { accountId, jobId }: Place,
  { hardwareIds, upTo }: { hardwareIds: readonly string[]; upTo: string },
): Promise<Map<string, string>> {
  // With a search per hardware ID, PostgreSQL uses the index of hardware IDs even before it has statistics about the
  // job's items.
  const { rows } = await sql<{ id: string; hardwareId: string }>`
    select found.id, wanted.id as "hardwareId" from unnest(${hardwareIds}::text[]) as wanted (id)
    cross join lateral (
      select device_id as id from bulk_item
      where account_id = ${accountId} and job_id = ${jobId} and status = 'PENDING'
        and coalesce(changes -> 'update' -> 'hardwareId' ->> 'new', changes -> 'register' ->> 'hardwareId') = wanted.id
      offset 0) as found
    where found.id <= ${upTo}`.execute(db)
  return new Map(rows.map(({ id, hardwareId: given }) => [given, id]))
}
