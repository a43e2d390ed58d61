import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { BulkItem, DeviceChanges } from '../bulk-job.ts'
import type { Place } from '../bulk-rows.queries.ts'
import { jsonBytes } from '../sizes/json-bytes.ts'

export interface PendingItem {
  id: string
  changes: DeviceChanges
  /** The name in the CSV row. Null if the row has a hardware ID or no name, or if there is no row. */
  rowName: string | null
  /** The size, in bytes, of the changes to this device and to the devices before it in the batch. */
  bytesUpTo: number
}

export interface BatchSize {
  devices: number
  bytes: number
}

/**
 * If any of the requested devices is pending, returns at least one, even if its changes exceed the size limit. Needs no
 * lock, because every change to an item locks the job.
 */
export async function selectPending(
  db: Database,
  { accountId, jobId }: Place,
  { size, ids, after = '' }: { size: BatchSize; ids?: readonly string[] | undefined; after?: string | undefined },
): Promise<PendingItem[]> {
  const cells = sql`(case when row ? 'name' then row else changes -> 'register' end)`
  const { rows } = await sql<PendingItem>`
    select id, changes, "rowName", bytes::float8 as "bytesUpTo" from (
      select device_id as id, changes, "rowName", row_number() over (order by device_id) as place,
        sum(${jsonBytes(sql`changes`)}) over (order by device_id) as bytes
      from (
        select device_id, changes, case when ${cells} ->> 'hardwareId' is null then ${cells} ->> 'name' end as "rowName"
        from bulk_item
        where account_id = ${accountId} and job_id = ${jobId} and status = 'PENDING'
          and device_id > ${after} and ${ids === undefined ? sql`true` : sql`device_id = any(${ids})`}
        order by device_id limit ${size.devices}) as next) as found
    where place = 1 or bytes <= ${size.bytes} order by id`.execute(db)
  return rows
}

export async function findPending(db: Database, { accountId, jobId }: Place): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select device_id as id from bulk_item where account_id = ${accountId} and job_id = ${jobId} and status = 'PENDING'
    order by device_id limit 1`.execute(db)
  return rows[0]?.id
}

export type ItemResult = Pick<BulkItem, 'id' | 'status'> &
  Partial<Omit<BulkItem, 'eventIds'>> & { events?: readonly string[] }

/**
 * Throws if a device is not pending, because the changes of its batch must then be rolled back. Also clears the keys of
 * the CSV rows, because a job that has started accepts no more rows.
 */
export async function writeResults(
  db: Database,
  { accountId, jobId }: Place,
  results: readonly ItemResult[],
): Promise<void> {
  const { numAffectedRows } = await sql`
    update bulk_item t set status = row.status, reason = coalesce(row.reason, t.reason), code = row.code, message = row.message,
      event_ids = coalesce(row.events, '{}'), row_key = null
    from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as row
      (id text, status text, reason text, code text, message text, events bigint[])
    where t.account_id = ${accountId} and t.job_id = ${jobId} and t.status = 'PENDING' and t.device_id = any(${results.map(({ id }) => id)})
      and t.device_id = row.id`.execute(db)
  if (Number(numAffectedRows) !== results.length)
    throw new Error(`job ${jobId}: only ${numAffectedRows} of the ${results.length} devices in the batch are pending`)
}
