import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

export async function recordHeartbeat(db: Database, id: string): Promise<void> {
  await sql`
    insert into job_worker (id) values (${id})
    on conflict (id) do update set seen = clock_timestamp()`.execute(db)
}

/** Removes the heartbeat of a worker that has stopped and therefore holds no locks. */
export async function removeWorker(db: Database, id: string): Promise<void> {
  await sql`delete from job_worker where id = ${id}`.execute(db)
}

/**
 * Releases all jobs of each worker that locked a job more than `deadAfterSeconds` ago and has sent no heartbeat for as
 * long. Returns the IDs of these workers. Also deletes heartbeats that are more than an hour old.
 */
export async function releaseJobsOfDead(db: Database, deadAfterSeconds: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct locked_by as id from graphile_worker.jobs as job
    where locked_by is not null and locked_at < clock_timestamp() - make_interval(secs => ${deadAfterSeconds})
      and not exists (select from job_worker where job_worker.id = job.locked_by
        and seen > clock_timestamp() - make_interval(secs => ${deadAfterSeconds}))`.execute(db)
  const dead = rows.map(({ id }) => id)
  if (dead.length > 0) await sql`select graphile_worker.force_unlock_workers(${dead}::text[])`.execute(db)
  await sql`delete from job_worker where seen < clock_timestamp() - interval '1 hour'`.execute(db)
  return dead
}
