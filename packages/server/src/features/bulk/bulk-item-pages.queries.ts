import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Sql } from '../filters/sql/filter-scope.ts'
import { isEachInside } from '../filters/sql/reachable-devices.ts'
import { isVisibleItem } from './access/visible-jobs.ts'
import type { BulkItem, BulkItemStatus, BulkOutcome } from './bulk-job.ts'
import { jsonBytes } from './sizes/json-bytes.ts'

export interface ItemSlice {
  outcomes: readonly BulkOutcome[] | undefined
  statuses: readonly BulkItemStatus[] | undefined
  /** Matches the devices that the caller can reach. Undefined if the caller can reach all devices. */
  inside: ResolvedFilter | undefined
}

/**
 * An outcome alone does not show that the preview has reached an item, because new devices have an outcome before the
 * preview checks them.
 */
const inSlice = (accountId: string, { outcomes, statuses, inside }: ItemSlice): Sql =>
  sql`item.account_id = ${accountId} and item.job_id = job.id and item.outcome is not null
    and (job.planned_count >= job.total or item.device_id <= case when job.phase is null then coalesce(job.planned, '') else '' end)
    and ${outcomes === undefined ? sql`true` : sql`item.outcome = any(${outcomes})`}
    and ${statuses === undefined ? sql`true` : sql`item.status = any(${statuses})`}
    and ${isVisibleItem(accountId, inside)}`

export type ListedItem = BulkItem & {
  jobId: string
  line: number | null
  /** Whether the caller can reach the device now. */
  isInside: boolean
  /** Whether the name and the values come from the request, because the row or ID does not match exactly one device. */
  isGiven: boolean
}

export interface ItemPages {
  jobIds: readonly string[]
  slice: ItemSlice
  after: string
  size: number
  /** Whether to also return the device after each page, without its changes. */
  withNext?: boolean
  /** The maximum size, in bytes, of the changes on all pages. Undefined if the changes are not read. */
  changeBytes: number | undefined
}

/**
 * Selects a page of items for each job. If the changes on all pages would exceed the maximum size, the pages end early,
 * and `isCut` is true. Together, the pages then have at least one device. `bytes` is the size of the changes that were
 * read.
 */
export async function selectItemPages(
  db: Database,
  accountId: string,
  { jobIds, slice, after, size, withNext = false, changeBytes }: ItemPages,
): Promise<{ items: ListedItem[]; isCut: boolean; bytes: number }> {
  const { inside } = slice
  const reached = inside === undefined ? sql`true` : isEachInside(accountId, inside, sql`item.device_id`)
  const isGiven = sql`(item.code = 'NOT_FOUND' or item.device_id like 'line %' or (item.row ->> 'isNew')::boolean)`
  const changes = changeBytes === undefined ? sql`'{}'::jsonb` : sql`case when on_page then item.changes else '{}' end`
  const isFitting =
    changeBytes === undefined ? sql`true` : sql`("bytesBefore" is null or "bytesBefore" + bytes <= ${changeBytes})`
  const bytes =
    changeBytes === undefined ? sql`0` : sql`case when on_page then ${jsonBytes(sql`item.changes`)} else 0 end`
  const { rows } = await sql<ListedItem & { hasNext: boolean; bytes: number }>`
    select * from (
      select found.*, lead(true, 1, false) over pages as "hasNext",
        sum(bytes) over (pages rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from bulk_job job
      cross join lateral (
        select item.job_id as "jobId", item.device_id as id, item.name, item.outcome, item.status, item.reason,
          ${changes} as changes, item.code, item.message, item.event_ids::text[] as "eventIds",
          (item.row ->> 'line')::int as line, ${reached} as "isInside", coalesce(${isGiven}, false) as "isGiven",
          ${bytes} as bytes
        from (
          select item.*, row_number() over (order by item.device_id) <= ${size} as on_page
          from bulk_item item where ${inSlice(accountId, slice)} and item.device_id > ${after}
          order by item.device_id limit ${withNext ? size + 1 : size}) as item) as found
      where job.account_id = ${accountId} and job.id = any(${jobIds}::text[])
      window pages as (order by "jobId", found.id)) as fitting
    where ${isFitting} order by "jobId", id`.execute(db)
  const read = rows.reduce((sum, row) => sum + row.bytes, 0)
  return { items: rows, isCut: rows.at(-1)?.hasNext === true, bytes: read }
}

/** Returns the number of items in the slice, keyed by job ID. Omits jobs without such items. */
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
