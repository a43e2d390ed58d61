import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Creator, isCreatedBy } from './access/visible-jobs.ts'
import { type BulkState, expiryOf } from './bulk-job.ts'
import { type BulkJobRow, jobColumns } from './bulk-jobs.queries.ts'

interface JobSlice {
  states: readonly BulkState[] | undefined
  creator: Creator | undefined
  after: { created: Date; id: string } | undefined
  limit: number
}

/** Jobs whose preview is too old are EXPIRED, even if the table still contains READY. */
const inStates = (states: readonly BulkState[] | undefined, now: Date) =>
  states === undefined
    ? sql`true`
    : sql`case when state = 'READY' and previewed < ${expiryOf(now)} then 'EXPIRED' else state end = any(${states})`

export async function selectJobPage(
  db: Database,
  accountId: string,
  { states, creator, after, limit, now }: JobSlice & { now: Date },
): Promise<BulkJobRow[]> {
  const behind = after === undefined ? sql`true` : sql`(created, id) < (${after.created}, ${after.id})`
  const { rows } = await sql<BulkJobRow>`
    select ${jobColumns} from bulk_job where account_id = ${accountId} and ${inStates(states, now)}
      and ${isCreatedBy(creator)} and ${behind}
    order by created desc, id desc limit ${limit}`.execute(db)
  return rows
}

export async function countJobs(
  db: Database,
  accountId: string,
  { states, creator, now }: Pick<JobSlice, 'states' | 'creator'> & { now: Date },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from bulk_job where account_id = ${accountId} and ${inStates(states, now)}
      and ${isCreatedBy(creator)}`.execute(db)
  return rows[0]!.count
}
