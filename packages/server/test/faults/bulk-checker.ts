import pg from 'pg'
import { expect } from 'vitest'
import type { Job } from './bulk-jobs.ts'
import type { Rig } from './rig.ts'

export interface JobFigures {
  done: number
  skipped: number
}

/** Runs a query. Repeats it after errors that mean that the database is unavailable, and throws all other errors. */
async function query<Row>({ database }: Rig, text: string, values: readonly unknown[]): Promise<Row[]> {
  for (;;) {
    const client = new pg.Client(database.url)
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query(text, [...values])).rows
    } catch (error) {
      const { code = '' } = error as { code?: string }
      // These codes mean that the database is starting, or was killed during the statement.
      if (!/^(57P|08|ECONN|ENOENT|EPIPE|$)/.test(code)) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    } finally {
      await client.end().catch(() => {})
    }
  }
}

/**
 * Checks a job that is DONE:
 *
 * - Each device has a result, and no device failed unless it was deleted.
 * - The event log contains the events of exactly the changed devices.
 * - The counts of the job agree with the results.
 */
export async function checkJob(
  rig: Rig,
  { id, name }: Job,
  { type, devices }: { type: string; devices: number | undefined },
): Promise<JobFigures> {
  const statuses = await query<{ status: string; reason: string | null; count: number }>(
    rig,
    'select status, reason, count(*)::int as count from bulk_item where job_id = $1 group by status, reason',
    [id],
  )
  const count = (wanted: string): number =>
    statuses.filter(({ status }) => status === wanted).reduce((sum, each) => sum + each.count, 0)
  expect(count('PENDING'), `${name}: devices without a result`).toBe(0)
  // Ignore devices that were deleted during the preview, which rejects them with NOT_FOUND.
  const failed = await query(
    rig,
    `select device_id, outcome, code, message from bulk_item
     where job_id = $1 and status = 'FAILED' and not (outcome = 'REJECTED' and code = 'NOT_FOUND') limit 10`,
    [id],
  )
  expect(failed, `${name}: failed devices`).toEqual([])
  const skipped = statuses.filter(({ status }) => status === 'SKIPPED')
  expect(
    skipped.filter(({ reason }) => reason === null),
    `${name}: devices skipped without a reason`,
  ).toEqual([])
  if (devices !== undefined) expect(count('DONE'), `${name}: registered devices`).toBe(devices)

  const wrong = await query<{ device: string; status: string; recorded: string[]; found: string[] }>(
    rig,
    `select i.device_id as device, i.status, i.event_ids::text[] as recorded, coalesce(e.ids, '{}')::text[] as found
     from bulk_item i
     left join (
       select device_id, array_agg(id order by id) as ids from event
       where type = $2 and source ->> 'id' = $1 group by device_id) e on e.device_id = i.device_id
     where i.job_id = $1 and (
       i.event_ids <> coalesce(e.ids, '{}') or cardinality(i.event_ids) <> case i.status when 'DONE' then 1 else 0 end)
     limit 10`,
    [id, type],
  )
  expect(wrong, `${name}: devices whose result and events differ`).toEqual([])
  const [job] = await query<{ done: number; skipped: number; failed: number; ends: number; starts: number }>(
    rig,
    `select done, failed, skipped + planned_count - changing - registering - unchanged - rejected as skipped,
       (select count(*)::int from event where type = 'BULK_FINISH' and targets -> 0 ->> 'id' = $1) as ends,
       (select count(*)::int from event where type = 'BULK_START' and targets -> 0 ->> 'id' = $1) as starts
     from bulk_job where id = $1`,
    [id],
  )
  expect(job, name).toEqual({ done: count('DONE'), failed: 0, skipped: count('SKIPPED'), ends: 1, starts: 1 })
  return { done: count('DONE'), skipped: count('SKIPPED') }
}

/** The changes to the attribute `site`. `before` is the value after the device's previous change. */
const chain = `
  select device_id, id, source ->> 'id' as source, data -> 'changes' -> 'site' ->> 'old' as old,
    data -> 'changes' -> 'site' ->> 'new' as new,
    lag(data -> 'changes' -> 'site' ->> 'new', 1, 'start') over (partition by device_id order by id) as before
  from event where type = 'ATTRIBUTE_CHANGE' and data -> 'changes' ? 'site'`

/**
 * Checks that an undo includes all devices that the job changed. In each device with the status DONE, the undo must
 * have restored the value from before the job. Each skipped device must have been deleted, or changed again after the
 * job and before the end of the undo.
 */
export async function checkUndo(rig: Rig, { change, undo }: { change: Job; undo: Job }): Promise<void> {
  const wrong = await query(
    rig,
    `with chain as (${chain})
     select i.device_id as device, i.status, i.reason, by_undo.old as "oldOfUndo", by_job.new as "newOfJob"
     from bulk_item i
     join chain by_job on by_job.device_id = i.device_id and by_job.source = $1
     left join chain by_undo on by_undo.device_id = i.device_id and by_undo.source = $2
     where i.job_id = $2 and not case i.status
       when 'DONE' then by_undo.old = by_job.new and by_undo.new is not distinct from by_job.old
       when 'SKIPPED' then by_undo.id is null and (
         not exists (select from device d where d.id = i.device_id)
         or exists (select from chain c where c.device_id = i.device_id and c.id > by_job.id
           and c.id < (select max(id) from event where type = 'BULK_FINISH' and targets -> 0 ->> 'id' = $2)))
       else false end
     limit 10`,
    [change.id, undo.id],
  )
  expect(wrong, `${undo.name}: devices with a wrong result`).toEqual([])
  const [missing] = await query<{ count: number }>(
    rig,
    `select count(*)::int as count from bulk_item done where job_id = $1 and status = 'DONE'
       and not exists (select from bulk_item i where i.job_id = $2 and i.device_id = done.device_id)`,
    [change.id, undo.id],
  )
  expect(missing, `${undo.name}: changed devices that the undo omits`).toEqual({ count: 0 })
}

/**
 * Checks that each change to `site` began with the value of the previous change. Also checks that each device has the
 * value of its last change. Returns the numbers of all changes and of the changes that were not made by bulk jobs.
 */
export async function checkValues(rig: Rig): Promise<{ changes: number; written: number }> {
  const broken = await query(
    rig,
    `with chain as (${chain}) select device_id, id, before, old from chain where old is distinct from before limit 10`,
    [],
  )
  expect(broken, 'changes that another change overwrote').toEqual([])
  const differing = await query(
    rig,
    `with chain as (${chain}), last as (
       select distinct on (device_id) device_id, new from chain order by device_id, id desc)
     select d.id, d.attributes ->> 'site' as value, last.new from device d left join last on last.device_id = d.id
     where d.attributes ->> 'site' is distinct from coalesce(last.new, 'start') limit 10`,
    [],
  )
  expect(differing, 'devices whose value is not that of the last change').toEqual([])
  const [counts] = await query<{ changes: number; written: number }>(
    rig,
    `with chain as (${chain})
     select count(*)::int as changes, count(*) filter (where source not like 'bj%')::int as written from chain`,
    [],
  )
  return counts!
}
