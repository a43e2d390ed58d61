import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Creator, isCreatedBy } from './access/visible-jobs.ts'
import type { BulkJob } from './bulk-job.ts'

export const jobColumns =
  sql.raw(`id, name, state, reason, target, filter, context, operations, rate, max_failures as "maxFailures", expected,
  token, created, created_by as "createdBy", actor_id as "actorId", previewed, planned, phase, started, started_by as "startedBy", starter,
  finished, undo_of as "undoOf", total, planned_count as "plannedCount", changing, registering, unchanged, rejected, done, failed, skipped, tolerated,
  encrypted_secret is not null as "hasSecrets"`)

export type BulkJobRow = BulkJob & {
  /** The ID of the last device that the current phase has read. */
  planned: string | null
  /** The phase of a preview of many devices: deleting old items or finding devices. Null in all other cases. */
  phase: 'CLEAR' | 'FIND' | null
  /** The number of failures before the job was last resumed. */
  tolerated: number
}

export async function insertJob(
  db: Database,
  accountId: string,
  job: BulkJob,
  encryptedSecret: Buffer | null,
): Promise<void> {
  await sql`
    insert into bulk_job (account_id, id, name, state, target, filter, context, operations, rate, max_failures, expected,
      created, created_by, actor_id, undo_of, encrypted_secret)
    values (${accountId}, ${job.id}, ${job.name}, ${job.state}, ${JSON.stringify(job.target)}::jsonb, ${job.filter},
      ${job.context}, ${JSON.stringify(job.operations)}::jsonb, ${job.rate}, ${job.maxFailures}, ${job.expected},
      ${job.created}, ${JSON.stringify(job.createdBy)}::jsonb, ${job.actorId}, ${job.undoOf}, ${encryptedSecret})`.execute(
    db,
  )
}

export async function selectJobs(
  db: Database,
  accountId: string,
  { ids, creator }: { ids: readonly string[]; creator: Creator | undefined },
): Promise<BulkJobRow[]> {
  const { rows } = await sql<BulkJobRow>`
    select ${jobColumns} from bulk_job
    where account_id = ${accountId} and id = any(${ids}) and ${isCreatedBy(creator)}`.execute(db)
  return rows
}

export async function lockJob(
  db: Database,
  accountId: string,
  id: string,
  creator?: Creator,
): Promise<BulkJobRow | undefined> {
  const { rows } = await sql<BulkJobRow>`
    select ${jobColumns} from bulk_job
    where account_id = ${accountId} and id = ${id} and ${isCreatedBy(creator)} for update`.execute(db)
  return rows[0]
}

/** Like `lockJob`, but returns undefined if another process is working on the job, or if the next batch is not due. */
export async function takeJob(db: Database, accountId: string, id: string): Promise<BulkJobRow | undefined> {
  const { rows } = await sql<BulkJobRow>`
    select ${jobColumns} from bulk_job
    where account_id = ${accountId} and id = ${id} and next_batch <= statement_timestamp()
    for update skip locked`.execute(db)
  return rows[0]
}

type FixedColumn = 'id' | 'name' | 'operations' | 'maxFailures' | 'created' | 'createdBy' | 'actorId' | 'undoOf'

export type JobChange = Partial<Omit<BulkJobRow, FixedColumn | 'hasSecrets'>>

const columnOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const isJson = (name: string): boolean => ['startedBy', 'starter', 'target'].includes(name)

/**
 * If `pauseMs` is set, the next batch is due after this number of milliseconds by the database's clock, which all
 * processes share.
 */
export async function writeJob(
  db: Database,
  accountId: string,
  id: string,
  { pauseMs, ...change }: JobChange & { pauseMs?: number },
): Promise<void> {
  const assignments = Object.entries(change).map(([name, value]) => {
    const column = sql.ref(columnOf(name))
    return isJson(name) ? sql`${column} = ${JSON.stringify(value)}::jsonb` : sql`${column} = ${value}`
  })
  if (pauseMs !== undefined)
    assignments.push(sql`next_batch = statement_timestamp() + ${pauseMs}::float8 * interval '1 millisecond'`)
  await sql`update bulk_job set ${sql.join(assignments)} where account_id = ${accountId} and id = ${id}`.execute(db)
}

/** Saves a change, and returns the changed job. */
export async function saveJob(
  db: Database,
  accountId: string,
  job: BulkJobRow,
  change: JobChange,
): Promise<BulkJobRow> {
  await writeJob(db, accountId, job.id, change)
  return { ...job, ...change }
}

export async function countDrafts(db: Database, accountId: string, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from bulk_job where account_id = ${accountId}
      and (state in ('DRAFT', 'PREVIEWING') or (state = 'READY' and previewed >= ${since}))`.execute(db)
  return rows[0]!.count
}

export async function selectUndos(
  db: Database,
  accountId: string,
  { ids, creator }: { ids: readonly string[]; creator: Creator | undefined },
): Promise<BulkJobRow[]> {
  const { rows } = await sql<BulkJobRow>`
    select distinct on (undo_of) ${jobColumns} from bulk_job
    where account_id = ${accountId} and undo_of = any(${ids}) and ${isCreatedBy(creator)} order by undo_of, created desc, id desc`.execute(
    db,
  )
  return rows
}

/** Returns the ID of an undo of the job `undoOf`, other than `except`, that is running or can still run. */
export async function findUndoInProgress(
  db: Database,
  accountId: string,
  { undoOf, except, since }: { undoOf: string; except: string | null; since: Date },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from bulk_job
    where account_id = ${accountId} and undo_of = ${undoOf} and id is distinct from ${except}
      and (state in ('DRAFT', 'PREVIEWING', 'RUNNING', 'PAUSED') or (state = 'READY' and previewed >= ${since}))
    limit 1`.execute(db)
  return rows[0]?.id
}

export interface ActiveJob {
  accountId: string
  id: string
  state: 'PREVIEWING' | 'RUNNING'
  /** The number of milliseconds until the next batch is due. */
  waitMs: number
}

/**
 * Returns the jobs that have work: for each account, the oldest job in preview, and the two running jobs that were
 * started first.
 */
export async function selectActiveJobs(db: Database): Promise<ActiveJob[]> {
  const { rows } = await sql<ActiveJob>`
    select account_id as "accountId", id, state,
      greatest(0, extract(epoch from next_batch - statement_timestamp()) * 1000)::float8 as "waitMs"
    from (
      select account_id, id, state, next_batch,
        row_number() over (partition by account_id, state order by started, created, id) as place
      from bulk_job where state in ('PREVIEWING', 'RUNNING')) as job
    where place <= case state when 'RUNNING' then 2 else 1 end
    order by next_batch`.execute(db)
  return rows
}

export interface JobPlace {
  accountId: string
  id: string
}

export async function selectExpired(db: Database, before: Date, limit: number): Promise<JobPlace[]> {
  const { rows } = await sql<JobPlace>`
    select account_id as "accountId", id from bulk_job where state = 'READY' and previewed < ${before}
    limit ${limit}`.execute(db)
  return rows
}

export async function expirePreview(
  db: Database,
  { accountId, id }: JobPlace,
  { before }: { before: Date },
): Promise<void> {
  await sql`update bulk_job set state = 'EXPIRED', finished = previewed
    where account_id = ${accountId} and id = ${id} and state = 'READY' and previewed < ${before}`.execute(db)
}

export async function findEndedJob(db: Database, before: Date): Promise<JobPlace | undefined> {
  const { rows } = await sql<JobPlace>`
    select account_id as "accountId", id from bulk_job
    where state in ('DONE', 'CANCELED', 'FAILED', 'EXPIRED') and coalesce(finished, created) < ${before} limit 1`.execute(
    db,
  )
  return rows[0]
}

/** Cancels an expired job, so it cannot be previewed again while it is being deleted. */
export async function closeExpired(db: Database, { accountId, id }: JobPlace): Promise<void> {
  await sql`update bulk_job set state = 'CANCELED'
    where account_id = ${accountId} and id = ${id} and state = 'EXPIRED'`.execute(db)
}

export async function deleteJob(db: Database, { accountId, id }: JobPlace): Promise<void> {
  await sql`delete from bulk_job where account_id = ${accountId} and id = ${id}
    and state in ('DONE', 'CANCELED', 'FAILED')`.execute(db)
}

/** Skips tables with a conflicting lock, such as those that another session is analyzing. */
export async function analyzeDevices(db: Database): Promise<void> {
  await sql`analyze (skip_locked) device, device_live, service`.execute(db)
}
