import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ReadFilter } from '../filters/read-filter.ts'
import { filterCondition } from '../filters/sql/conditions.ts'
import { noTables, type Sql } from '../filters/sql/rows.ts'
import { overridesIn } from '../filters/sql/value-source.ts'
import type { BulkItem, BulkItemStatus, BulkOutcome, DeviceChanges } from './bulk-job.ts'

/** The filter of a job, and the reference time for relative times. */
export interface JobFilter {
  where: ReadFilter
  context: string | undefined
  now: Date
}

interface Place {
  accountId: string
  jobId: string
}

/** The devices that match, as `matching (id, name)`. */
function matchingDevices(accountId: string, { where, context, now }: JobFilter, ids?: readonly string[]): Sql {
  const tables = noTables()
  const condition = filterCondition(where.filter, { accountId, context, now: now.getTime(), tables })
  return sql`select d.id, d.name from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    ${tables.overrides ? overridesIn(context!, 'device') : sql``}
    where d.account_id = ${accountId} and ${ids === undefined ? sql`true` : sql`d.id = any(${ids})`} and ${condition}`
}

/** Adds up to `limit` of the devices that match at a single point in time. Returns the number of devices that match. */
export async function insertMatching(
  db: Database,
  { accountId, jobId }: Place,
  { filter, limit }: { filter: JobFilter; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into bulk_item (account_id, job_id, device_id, name)
    select ${accountId}, ${jobId}, id, name from (${matchingDevices(accountId, filter)} limit ${limit}) as found`.execute(
    db,
  )
  return Number(numAffectedRows)
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

/** Adds the devices of another job. */
export async function insertItemsOf(
  db: Database,
  { accountId, jobId }: Place,
  { from, statuses }: { from: string; statuses: readonly BulkItemStatus[] },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into bulk_item (account_id, job_id, device_id, name)
    select account_id, ${jobId}, device_id, name from bulk_item
    where account_id = ${accountId} and job_id = ${from} and status = any(${statuses})`.execute(db)
  return Number(numAffectedRows)
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

/** Returns the next devices to preview, in the order of their IDs. */
export async function selectUnplanned(
  db: Database,
  { accountId, jobId }: Place,
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select device_id as id from bulk_item where account_id = ${accountId} and job_id = ${jobId} and device_id > ${after ?? ''}
    order by device_id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The result for a device: of the preview, or of the run. */
export type ItemResult = Pick<BulkItem, 'id' | 'status'> & Partial<Omit<BulkItem, 'eventIds'>>

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

export interface PendingItem {
  id: string
  changes: DeviceChanges
}

/** Locks the next devices of a run, in the order of their IDs. */
export async function lockPending(
  db: Database,
  { accountId, jobId }: Place,
  { limit, ids }: { limit: number; ids?: readonly string[] | undefined },
): Promise<PendingItem[]> {
  const { rows } = await sql<PendingItem>`
    select device_id as id, changes from bulk_item
    where account_id = ${accountId} and job_id = ${jobId} and status = 'PENDING'
      and ${ids === undefined ? sql`true` : sql`device_id = any(${ids})`}
    order by device_id limit ${limit} for update`.execute(db)
  return rows
}

/** The changes that an earlier job made to these devices. */
export async function selectChangesOf(
  db: Database,
  { accountId, jobId }: Place,
  ids: readonly string[],
): Promise<Map<string, DeviceChanges>> {
  const { rows } = await sql<PendingItem>`
    select device_id as id, changes from bulk_item
    where account_id = ${accountId} and job_id = ${jobId} and device_id = any(${ids})`.execute(db)
  return new Map(rows.map(({ id, changes }) => [id, changes]))
}

/** The greatest event number so far. Events of the transaction that are recorded later have greater numbers. */
export async function readLastEvent(db: Database): Promise<string> {
  const { rows } = await sql<{ id: string }>`select last_value::text as id from event_id`.execute(db)
  return rows[0]!.id
}

/** Records the result of devices with the events that the transaction has recorded for them. */
export async function writeResults(
  db: Database,
  { accountId, jobId }: Place,
  { results, sinceEvent }: { results: readonly ItemResult[]; sinceEvent: string },
): Promise<void> {
  await sql`
    update bulk_item t set status = row.status, reason = coalesce(row.reason, t.reason), code = row.code, message = row.message,
      event_ids = coalesce(found.ids, '{}')
    from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as row (id text, status text, reason text, code text, message text)
    left join (
      select device_id, array_agg(id order by id) as ids from event
      where account_id = ${accountId} and device_id = any(${results.map(({ id }) => id)}) and id > ${sinceEvent}::bigint
        and source ->> 'id' = ${jobId}
      group by device_id) as found on found.device_id = row.id
    where t.account_id = ${accountId} and t.job_id = ${jobId} and t.device_id = any(${results.map(({ id }) => id)})
      and t.device_id = row.id`.execute(db)
}

/** Returns which of the devices match. The caller has locked them. */
export async function selectMatchingIds(
  db: Database,
  accountId: string,
  { filter, ids }: { filter: JobFilter; ids: readonly string[] },
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`${matchingDevices(accountId, filter, ids)}`.execute(db)
  return new Set(rows.map(({ id }) => id))
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

export interface ItemSlice {
  jobId: string
  outcomes: readonly BulkOutcome[] | undefined
  statuses: readonly BulkItemStatus[] | undefined
}

const inSlice = (accountId: string, { jobId, outcomes, statuses }: ItemSlice): Sql =>
  sql`account_id = ${accountId} and job_id = ${jobId} and outcome is not null
    and ${outcomes === undefined ? sql`true` : sql`outcome = any(${outcomes})`}
    and ${statuses === undefined ? sql`true` : sql`status = any(${statuses})`}`

export async function selectItemPage(
  db: Database,
  accountId: string,
  { slice, after, limit }: { slice: ItemSlice; after: string; limit: number },
): Promise<BulkItem[]> {
  const { rows } = await sql<BulkItem>`
    select device_id as id, name, outcome, status, reason, changes, code, message, event_ids::text[] as "eventIds"
    from bulk_item where ${inSlice(accountId, slice)} and device_id > ${after} order by device_id limit ${limit}`.execute(
    db,
  )
  return rows
}

export async function countItems(db: Database, accountId: string, slice: ItemSlice): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from bulk_item where ${inSlice(accountId, slice)}`.execute(db)
  return rows[0]!.count
}
