import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/** Says that this worker lives. */
export async function beat(db: Database, id: string): Promise<void> {
  await sql`
    insert into job_worker (id) values (${id})
    on conflict (id) do update set seen = clock_timestamp()`.execute(db)
}

/** A worker that stopped has nothing locked. */
export async function removeWorker(db: Database, id: string): Promise<void> {
  await sql`delete from job_worker where id = ${id}`.execute(db)
}

/** Frees what workers had locked that were not heard of for so many seconds. Answers which those are. */
export async function freeLocksOfDead(db: Database, silentFor: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct locked_by as id from graphile_worker.jobs as job
    where locked_by is not null and locked_at < clock_timestamp() - make_interval(secs => ${silentFor})
      and not exists (select from job_worker where job_worker.id = job.locked_by
        and seen > clock_timestamp() - make_interval(secs => ${silentFor}))`.execute(db)
  const dead = rows.map(({ id }) => id)
  if (dead.length > 0) await sql`select graphile_worker.force_unlock_workers(${dead}::text[])`.execute(db)
  await sql`delete from job_worker where seen < clock_timestamp() - interval '1 hour'`.execute(db)
  return dead
}
