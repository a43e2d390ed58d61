import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startTestApp } from '../../../test/harness/app.ts'
import { createSecrets } from '../../auth/secrets.ts'
import { selectActiveJobs } from './bulk-jobs.queries.ts'
import { workOn } from './run/job-steps.ts'
import { createLookAhead } from './run/look-ahead.ts'

/** The job needs more than DEVICES / 100 batches, because the test interrupts some of them. */
const DEVICES = 600

const secrets = createSecrets(randomBytes(32))

it('changes each device exactly once if the process loses its database connections during batches', async () => {
  const app = await startTestApp()
  const user = await app.createUser()
  await sql`insert into device (account_id, id, name, attributes)
    select ${user.accountId}, '80:00:00:00:00:02:' || substr(lpad(to_hex(i), 4, '0'), 1, 2) || ':' || substr(lpad(to_hex(i), 4, '0'), 3, 2),
      'node ' || i, '{}' from generate_series(1, ${DEVICES}::int) as i`.execute(app.db)
  await sql`insert into device_live (account_id, device_id) select account_id, id from device
    where account_id = ${user.accountId}`.execute(app.db)
  const { runBulk } = await user.data(
    `mutation { runBulk(target: { where: "id:*" }, expected: ${DEVICES}, rate: 10000,
      operations: [{ setAttributes: { attributes: { site: "rome" } } }]) { id } }`,
  )
  const other = await app.startAnother()
  let isDone = false
  /** Runs the job like a process that is killed at random: its connections end without a COMMIT. */
  const work = async (db: typeof app.db): Promise<void> => {
    const ahead = createLookAhead(db)
    while (!isDone) {
      const due = await selectActiveJobs(db).catch(() => [])
      // After failures, a job changes its devices one by one. A lost connection must not fail the device.
      for (const job of due)
        await workOn({ db, clock: () => new Date(), staleMs: 0, secrets, charge: () => {}, ahead }, job, {
          singly: Math.random() < 0.95,
        }).catch(() => {})
      const { rows } = await sql<{ state: string }>`select state from bulk_job where id = ${runBulk.id}`
        .execute(db)
        .catch(() => ({ rows: [] }))
      isDone ||= rows[0]?.state === 'DONE'
    }
  }
  const kill = async (): Promise<void> => {
    while (!isDone) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like '%bulk_item%' and pid <> pg_backend_pid() and random() < 0.5`
        .execute(app.db)
        .catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await Promise.all([work(app.db), work(other.db), kill()])

  const { rows: items } = await sql<{ status: string; count: number; events: number }>`
    select status, count(*)::int as count, sum(cardinality(event_ids))::int as events from bulk_item
    where job_id = ${runBulk.id} group by status`.execute(app.db)
  expect(items).toEqual([{ status: 'DONE', count: DEVICES, events: DEVICES }])
  const { rows: events } = await sql<{ count: number; devices: number }>`
    select count(*)::int as count, count(distinct device_id)::int as devices from event
    where account_id = ${user.accountId} and type = 'ATTRIBUTE_CHANGE'`.execute(app.db)
  expect(events).toEqual([{ count: DEVICES, devices: DEVICES }])
  const { rows: jobs } = await sql<{ done: number; failed: number; skipped: number }>`
    select done, failed, skipped from bulk_job where id = ${runBulk.id}`.execute(app.db)
  expect(jobs).toEqual([{ done: DEVICES, failed: 0, skipped: 0 }])
  const { rows: finished } =
    await sql`select from event where account_id = ${user.accountId} and type = 'BULK_FINISH'`.execute(app.db)
  expect(finished).toHaveLength(1)
  await other.close()
  await app.close()
})
