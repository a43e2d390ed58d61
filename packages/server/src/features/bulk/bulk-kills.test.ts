import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { create, jobOf, newLargeFleet, register, setSite, start } from '../../../test/api/bulk-jobs.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { createSecrets } from '../../auth/secrets.ts'
import { selectActiveJobs } from './bulk-jobs.queries.ts'
import { type WorkOptions, workOn } from './run/job-steps.ts'
import { createLookAhead, type LookAhead } from './run/look-ahead.ts'

/** Enough devices for many batches, some of which the test interrupts. */
const DEVICES = 600

const secrets = createSecrets(randomBytes(32))
const app = sharedTestApp()
const withoutLoad = { isHigh: () => false }
const optionsWith = (db: typeof app.db, ahead: LookAhead): WorkOptions => ({
  ...{ db, clock: () => new Date(), staleMs: 0, secrets, charge: () => {}, ahead },
})

it('changes each device exactly once if the process loses its database connections during batches', async () => {
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
  /** The duration of the last batch, in milliseconds, which determines the time between kills. */
  let batchMs = 20
  /** Runs the job like a process that is killed at random: its connections end without a COMMIT. */
  const work = async (db: typeof app.db): Promise<void> => {
    const options = optionsWith(db, createLookAhead(db, withoutLoad))
    while (!isDone) {
      const due = await selectActiveJobs(db).catch(() => [])
      // Most steps change a single device, as after several failures. If the connection is lost, the job must not
      // record this device as failed.
      for (const job of due) {
        const started = performance.now()
        const result = await workOn(options, job, { singly: Math.random() < 0.95 }).catch(() => undefined)
        if (result === 'worked') batchMs = performance.now() - started
      }
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
      await sleep(Math.max(20, batchMs))
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
})

it.each(['PREVIEWING', 'RUNNING'] as const)('does nothing to a job that is no longer %s', async (state) => {
  const user = await newLargeFleet(app, 1)
  const { id } = await create(user, { where: 'site = oslo' }, [setSite('rome')])
  const options = optionsWith(app.db, createLookAhead(app.db, withoutLoad))
  expect(await workOn(options, { accountId: user.accountId, id, state })).toBe('idle')
  expect((await jobOf(user, id)).state).toBe('READY')
})

describe('a batch that was read in advance', () => {
  const startImport = async () => {
    const user = await app.createUser()
    const rows = Array.from({ length: 150 }, (_, index) => `node ${index},HW-${index}`)
    const job = await create(user, { csv: `name,hardwareId\n${rows.join('\n')}`, register: true }, [], { rate: 10_000 })
    await start(user, await jobOf(user, job.id))
    const { rows: last } = await sql<{ hardwareId: string }>`
      select changes -> 'register' ->> 'hardwareId' as "hardwareId" from bulk_item where job_id = ${job.id}
      order by device_id desc limit 1`.execute(app.db)
    const options = optionsWith(app.db, createLookAhead(app.db, withoutLoad))
    const work = () => workOn(options, { accountId: user.accountId, id: job.id, state: 'RUNNING' })
    /** Waits until the next batch has been read, and keeps it for the next call to `work`. */
    const readNext = async () => {
      const ahead = options.ahead!
      const next = await ahead.take(job.id)
      expect(next).toMatchObject({ finished: 100 })
      const take = async () => {
        options.ahead = ahead
        return next
      }
      options.ahead = { ...ahead, take }
    }
    const takeHardwareId = async () => {
      const id = await register(user, 'other')
      await sql`update device set hardware_id = ${last[0]!.hardwareId} where id = ${id}`.execute(app.db)
      return () => sql`update device set hardware_id = null where id = ${id}`.execute(app.db)
    }
    return { work, readNext, takeHardwareId, counts: async () => (await jobOf(user, job.id)).counts }
  }

  it('registers a device whose hardware ID was free again when the batch ran', async () => {
    const { work, readNext, takeHardwareId, counts } = await startImport()
    const free = await takeHardwareId()
    await work()
    await readNext()
    await free()
    expect(await work()).toBe('worked')
    expect(await counts()).toMatchObject({ done: 150, failed: 0 })
  })

  it('records a device as failed if its hardware ID was taken when the batch ran', async () => {
    const { work, readNext, takeHardwareId, counts } = await startImport()
    await work()
    await readNext()
    await takeHardwareId()
    expect(await work()).toBe('failed')
    expect(await work()).toBe('worked')
    expect(await counts()).toMatchObject({ done: 149, failed: 1, pending: 0 })
  })

  it.each(['after its process rolled back the previous batch', 'while the number of finished devices is the same'])(
    'changes no device that another process has finished, %s',
    async (when) => {
      const isAfterRollback = when.startsWith('after')
      const user = await newLargeFleet(app, 300)
      const job = await create(user, { where: 'site = oslo' }, [setSite('rome')], { rate: 10_000 })
      await start(user, job)
      const options = optionsWith(app.db, createLookAhead(app.db, withoutLoad))
      const work = () => workOn(options, { accountId: user.accountId, id: job.id, state: 'RUNNING' })
      await work()
      if (isAfterRollback) {
        options.charge = () => {
          throw new Error('the process failed')
        }
        await expect(work()).rejects.toThrow('the process failed')
        options.charge = () => {}
      }
      // Simulate the changes that another process makes to items of this and later batches.
      const finish = (status: string, from: number, count: number) =>
        sql`update bulk_item set status = ${status} where job_id = ${job.id} and device_id in (select device_id
          from bulk_item where job_id = ${job.id} order by device_id offset ${from} limit ${count})`.execute(app.db)
      if (isAfterRollback) {
        await finish('DONE', 100, 99)
        await finish('FAILED', 250, 1)
        await sql`update bulk_job set done = 199, failed = 1 where id = ${job.id}`.execute(app.db)
      } else {
        await finish('PENDING', 99, 1)
        await finish('FAILED', 150, 1)
        await sql`update bulk_job set done = 99, failed = 1 where id = ${job.id}`.execute(app.db)
        await expect(work()).rejects.toThrow('only 99 of the 100 devices in the batch are pending')
      }
      while ((await jobOf(user, job.id)).state === 'RUNNING') await work()
      const { rows } = await sql<{ status: string; count: number }>`select status, count(*)::int as count
        from bulk_item where job_id = ${job.id} group by status order by status`.execute(app.db)
      const failed = { status: 'FAILED', count: 1 }
      // The item that is pending again is skipped, because its device no longer has the old value.
      expect(rows).toEqual(
        isAfterRollback
          ? [{ status: 'DONE', count: 299 }, failed]
          : [{ status: 'DONE', count: 298 }, failed, { status: 'SKIPPED', count: 1 }],
      )
    },
  )
})
