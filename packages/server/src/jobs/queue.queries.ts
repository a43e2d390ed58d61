import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { JobDefinition } from './job.ts'

export interface KeyedJob<Payload> {
  /** The key of the job. The queue contains at most one waiting job per key. */
  key: string
  payload: Payload
  /** The number of seconds to wait, by the database's clock. */
  delay: number
}

/**
 * Adds jobs to the queue, and replaces waiting jobs with the same keys. If `db` is a transaction, the queue receives
 * the jobs when the transaction commits.
 */
export async function putJobs<Payload>(
  db: Database,
  { name }: JobDefinition<Payload>,
  jobs: readonly KeyedJob<Payload>[],
): Promise<void> {
  if (jobs.length === 0) return
  // Jobs are added in the order of their keys, so that concurrent calls cannot deadlock.
  const sorted = [...jobs].sort((one, other) => (one.key < other.key ? -1 : 1))
  await sql`
    select from graphile_worker.add_jobs((
      select array_agg(
        (${name}, payload, null, clock_timestamp() + make_interval(secs => delay), 25, key, 0, null)
          ::graphile_worker.job_spec order by position)
      from rows from (jsonb_to_recordset(${JSON.stringify(sorted)}::jsonb)
        as (key text, payload json, delay double precision)) with ordinality as job (key, payload, delay, position)))`.execute(
    db,
  )
}

export async function removeJob(db: Database, key: string): Promise<void> {
  await sql`select from graphile_worker.remove_job(${key})`.execute(db)
}

/**
 * Reschedules jobs that a server with a fast clock has postponed by more than an hour, and returns their names. That
 * server recorded a future time as the last execution, and no server would run the job until that time. The key of a
 * waiting job consists of `prefix` and the job's name.
 */
export async function rescheduleCrons(db: Database, names: readonly string[], prefix: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with executions as (
      update graphile_worker._private_known_crontabs set last_execution = clock_timestamp()
      where identifier = any(${names}::text[]) and last_execution > clock_timestamp() + interval '1 hour'
      returning identifier
    ), jobs as (
      update graphile_worker._private_jobs set run_at = clock_timestamp()
      where key = any(select ${prefix} || name from unnest(${names}::text[]) as name)
        and run_at > clock_timestamp() + interval '1 hour' and locked_at is null
    )
    select identifier as name from executions order by name`.execute(db)
  return rows.map(({ name }) => name)
}

export type JobState = 'scheduled' | 'ready' | 'running' | 'failed'

/** Returns the number of jobs in each state. A failed job that waits for a retry counts as `scheduled`. */
export async function countJobs(db: Database): Promise<Record<JobState, number>> {
  const { rows } = await sql<{ state: JobState; count: number }>`
    select case when locked_at is not null then 'running' when attempts >= max_attempts then 'failed'
      when run_at > clock_timestamp() then 'scheduled' else 'ready' end as state, count(*)::int as count
    from graphile_worker.jobs group by 1`.execute(db)
  const counts = Object.fromEntries(rows.map(({ state, count }) => [state, count]))
  return { scheduled: 0, ready: 0, running: 0, failed: 0, ...counts }
}
