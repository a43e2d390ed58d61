import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ReadFilter } from '../filters/read-filter.ts'
import { filterCondition } from '../filters/sql/conditions.ts'
import { noTables, type Sql } from '../filters/sql/rows.ts'
import { overridesIn } from '../filters/sql/value-source.ts'
import type { BulkItem, BulkItemStatus, BulkOutcome, DeviceChanges } from './bulk-job.ts'

/** A job's filter, and the reference time for relative times. */
export interface JobFilter {
  where: ReadFilter
  context: string | undefined
  now: Date
}

interface Place {
  accountId: string
  jobId: string
}

/** The devices that a filter is applied to: those with these IDs, or those with an ID in a range. */
type Among = { ids: readonly string[] } | { after: string; upTo: string }

const isAmong = (among: Among | undefined): Sql => {
  if (among === undefined) return sql`true`
  return 'ids' in among ? sql`d.id = any(${among.ids})` : sql`d.id > ${among.after} and d.id <= ${among.upTo}`
}

/** Returns the devices that match. */
export async function selectMatching(
  db: Database,
  accountId: string,
  { filter: { where, context, now }, among, limit }: { filter: JobFilter; among?: Among; limit?: number },
): Promise<{ id: string; name: string }[]> {
  const tables = noTables()
  const condition = filterCondition(where.filter, { accountId, context, now: now.getTime(), tables })
  const { rows } = await sql<{ id: string; name: string }>`
    select d.id, d.name from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    ${tables.overrides ? overridesIn(context!, 'device') : sql``}
    where d.account_id = ${accountId} and ${isAmong(among)} and ${condition}
    ${limit === undefined ? sql`` : sql`limit ${limit}`}`.execute(db)
  return rows
}

/** Returns the last ID of the next `limit` devices in ID order; null after the last device. */
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

/** Adds devices to a job. */
export async function insertItems(
  db: Database,
  { accountId, jobId }: Place,
  found: readonly { id: string; name: string }[],
): Promise<void> {
  await sql`
    insert into bulk_item (account_id, job_id, device_id, name)
    select ${accountId}, ${jobId}, id, name
    from unnest(${found.map(({ id }) => id)}::text[], ${found.map(({ name }) => name)}::text[]) as found (id, name)`.execute(
    db,
  )
}

/** Adds devices by ID. Returns the IDs that the job already contains. */
export async function insertIds(db: Database, { accountId, jobId }: Place, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with given as (select unnest(${ids}::text[]) as id),
    added as (
      insert into bulk_item (account_id, job_id, device_id) select ${accountId}, ${jobId}, id from given
      on conflict do nothing returning device_id)
    select id from given where id not in (select device_id from added)`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns the next devices of a job that have one of these statuses, in ID order. */
export async function selectItemsOf(
  db: Database,
  accountId: string,
  { from, statuses, after, limit }: { from: string; statuses: readonly BulkItemStatus[]; after: string; limit: number },
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select device_id as id, name from bulk_item
    where account_id = ${accountId} and job_id = ${from} and status = any(${statuses}) and device_id > ${after}
    order by device_id limit ${limit}`.execute(db)
  return rows
}

export async function deleteItems(db: Database, { accountId, jobId }: Place): Promise<void> {
  await sql`delete from bulk_item where account_id = ${accountId} and job_id = ${jobId}`.execute(db)
}

/** Deletes up to `limit` devices of a job. Returns their number. */
export async function deleteSomeItems(db: Database, { accountId, jobId }: Place, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from bulk_item where account_id = ${accountId} and job_id = ${jobId} and device_id in (
      select device_id from bulk_item where account_id = ${accountId} and job_id = ${jobId} limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}

/** A device to preview. */
export interface UnplannedItem {
  id: string
  name: string
  /** Whether the item already contains the device to register. Only conflicts with other devices remain to be checked. */
  isPrepared: boolean
  /** The hardware ID of a prepared device. */
  hardwareId: string | null
  /** The size of the changes that the item already contains. */
  bytes: number
}

/** Returns the next devices to preview, in ID order. */
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
  await sql`
    update bulk_item t set outcome = row.outcome, status = row.status, reason = row.reason, changes = row.changes,
      code = row.code, message = row.message, name = row.name, event_ids = '{}'
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as row
      (id text, name text, outcome text, status text, reason text, changes jsonb, code text, message text)
    where t.account_id = ${accountId} and t.job_id = ${jobId} and t.device_id = any(${items.map(({ id }) => id)})
      and t.device_id = row.id`.execute(db)
}

/** The changes that an earlier job made to a device. */
export interface EarlierChanges {
  changes: DeviceChanges
  /** Whether an undo of that job has already added the removed services again. */
  isRestored: boolean
}

/** The changes that an earlier job made to these devices. */
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

export interface FieldsRow {
  id: string
  name: string
  hardwareId: string | null
  platform: string | null
  state: 'active' | 'inactive'
}

export async function selectFields(db: Database, accountId: string, ids: readonly string[]): Promise<FieldsRow[]> {
  const { rows } = await sql<FieldsRow>`
    select d.id, d.name, d.hardware_id as "hardwareId", d.platform, l.state
    from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    where d.account_id = ${accountId} and d.id = any(${ids})`.execute(db)
  return rows
}

/** Returns the devices that have these hardware IDs. */
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

/** Returns the hardware IDs that a preview has assigned to devices with an ID up to `upTo`, each with its device. */
export async function selectPlannedHardwareIds(
  db: Database,
  { accountId, jobId }: Place,
  { hardwareIds, upTo }: { hardwareIds: readonly string[]; upTo: string },
): Promise<Map<string, string>> {
  // With a search per hardware ID, PostgreSQL uses the index of hardware IDs even before it has statistics of the job.
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

export interface ItemSlice {
  outcomes: readonly BulkOutcome[] | undefined
  statuses: readonly BulkItemStatus[] | undefined
}

/**
 * Selects the devices of `job` that the preview has reached. New devices have an outcome before the preview checks them.
 */
const inSlice = (accountId: string, { outcomes, statuses }: ItemSlice): Sql =>
  sql`item.account_id = ${accountId} and item.job_id = job.id and item.outcome is not null
    and (job.planned_count >= job.total or item.device_id <= case when job.phase is null then coalesce(job.planned, '') else '' end)
    and ${outcomes === undefined ? sql`true` : sql`item.outcome = any(${outcomes})`}
    and ${statuses === undefined ? sql`true` : sql`item.status = any(${statuses})`}`

type ListedItem = BulkItem & { jobId: string; line: number | null }

/** Returns a page of each job's devices. */
export async function selectItemPages(
  db: Database,
  accountId: string,
  { jobIds, slice, after, limit }: { jobIds: readonly string[]; slice: ItemSlice; after: string; limit: number },
): Promise<ListedItem[]> {
  const { rows } = await sql<ListedItem>`
    select found.* from bulk_job job
    cross join lateral (
      select item.job_id as "jobId", item.device_id as id, item.name, item.outcome, item.status, item.reason,
        item.changes, item.code, item.message, item.event_ids::text[] as "eventIds", (item.row ->> 'line')::int as line
      from bulk_item item where ${inSlice(accountId, slice)} and item.device_id > ${after}
      order by item.device_id limit ${limit}) as found
    where job.account_id = ${accountId} and job.id = any(${jobIds}::text[])`.execute(db)
  return rows
}

/** Returns the number of devices with the given statuses, by job. Omits jobs without such devices. */
export async function countItems(
  db: Database,
  accountId: string,
  { jobIds, slice }: { jobIds: readonly string[]; slice: ItemSlice },
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    select job.id, count(*)::int as count from bulk_job job join bulk_item item on ${inSlice(accountId, slice)}
    where job.account_id = ${accountId} and job.id = any(${jobIds}::text[]) group by job.id`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, count]))
}
