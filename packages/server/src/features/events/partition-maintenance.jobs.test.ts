import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { pollUntil } from '../../../test/api/webhooks.ts'
import { createTestDatabase } from '../../../test/database/test-database.ts'
import { startTestApp } from '../../../test/harness/app.ts'
import type { Database } from '../../db/database.ts'
import { createEventPartition, createEventPartitions } from '../../db/event-partitions.ts'
import { migrate } from '../../db/migrate.ts'
import { putJobs } from '../../jobs/queue.queries.ts'
import { keepPartitions, partitionsJob } from './partition-maintenance.jobs.ts'

async function partitions(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'event'::regclass order by relname`.execute(db)
  return rows.map(({ name }) => name)
}

it('creates partitions for the next months and drops partitions older than the retention period', async () => {
  const { db, drop } = await createTestDatabase()
  onTestFinished(drop)
  await createEventPartitions(db, new Date('2031-01-15'))
  const at = (time: string) => ({ here: new Date(time), database: new Date(time) })
  const clocks = at('2032-02-20T00:00:00Z')
  expect(await keepPartitions(db, { clocks, retention: 0 })).toEqual([])
  // 400 days before 2032-02-20 is 2031-01-16, so the job retains the January partition.
  const dropped = await keepPartitions(db, { clocks, retention: 400 })
  expect(dropped.every((name) => name < 'event_2031_01')).toBe(true)
  expect(await partitions(db)).toEqual([
    ...['event_2031_01', 'event_2031_02', 'event_2031_03', 'event_2031_04'],
    ...['event_2032_02', 'event_2032_03', 'event_2032_04', 'event_2032_05'],
  ])
  expect(await keepPartitions(db, { clocks: at('2032-03-10T00:00:00Z'), retention: 400 })).toEqual(['event_2031_01'])
})

it('skips a partition that another server is creating', async () => {
  const { db, drop } = await createTestDatabase()
  onTestFinished(drop)
  const now = new Date('2033-05-01')
  // Simulate another server that holds the lock for partition changes until it has created its partition.
  const creation = await db.transaction().execute(async (other) => {
    await sql`select pg_advisory_xact_lock(hashtext('muster event partitions'))`.execute(other)
    const created = createEventPartitions(db, now)
    created.catch(() => {})
    const countWaiting = async (): Promise<number> => {
      const { rows } = await sql`
        select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(other)
      return rows.length
    }
    await expect.poll(countWaiting).toBe(1)
    await sql
      .raw(
        "create table event_2033_05 partition of event for values from ('2033-05-01T00:00Z') to ('2033-06-01T00:00Z')",
      )
      .execute(other)
    return { created }
  })
  await creation.created
})

function monthFromNow(months: number): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))
}

const partitionOf = (month: Date): string => `event_${month.toISOString().slice(0, 7).replace('-', '_')}`

const partitionsFrom = (first: number): string[] =>
  [first, first + 1, first + 2, first + 3].map((month) => partitionOf(monthFromNow(month)))

async function dropPartitions(db: Database, names: readonly string[]): Promise<void> {
  for (const name of names) await sql.raw(`drop table "${name}"`).execute(db)
}

describe('a server whose clock is off by a year', () => {
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['ahead', 12],
    ['behind', -12],
  ])(
    'drops no partitions, creates the partitions for both clocks, and logs a warning if the clock is %s',
    async (_, off) => {
      const logged: unknown[] = []
      const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
      const app = await startTestApp({ worker: true, clock: () => monthFromNow(off), log })
      onTestFinished(app.close)
      // According to a clock that is ahead, these partitions are older than the retention period.
      for (const month of [-6, -5]) await createEventPartition(app.db, monthFromNow(month))
      await sql`insert into event (account_id, type, targets, "timestamp")
      values (${app.owner.accountId}, 'DEVICE_UPDATE', '[]', ${monthFromNow(-6)})`.execute(app.db)
      const before = await partitions(app.db)
      await dropPartitions(app.db, partitionsFrom(0).slice(-1))

      await putJobs(app.db, partitionsJob, [{ key: 'now', payload: undefined, delay: 0 }])
      const waiting = sql`select from graphile_worker.jobs where key = 'now'`
      await pollUntil(
        () => waiting.execute(app.db),
        ({ rows }) => rows.length === 0,
      )
      // The worker also runs this job every hour, so the job may have run before the test read `before`.
      expect(await partitions(app.db)).toEqual([...new Set([...before, ...partitionsFrom(off)])].sort())
      const { rows } = await sql`select from event where "timestamp" = ${monthFromNow(-6)}`.execute(app.db)
      expect(rows).toHaveLength(1)
      expect(logged).toContainEqual(
        expect.objectContaining({ msg: expect.stringContaining('differ by more than a day') }),
      )
    },
  )

  it('starts and accepts events', async () => {
    const { db, drop } = await createTestDatabase()
    onTestFinished(drop)
    await dropPartitions(db, await partitions(db))
    vi.useFakeTimers({ toFake: ['Date'], now: monthFromNow(12) })
    await migrate(db)
    vi.useRealTimers()
    expect(await partitions(db)).toEqual([...partitionsFrom(0), ...partitionsFrom(12)])
    await sql`insert into event (account_id, type, targets) values ('account', 'DEVICE_UPDATE', '[]')`.execute(db)
  })
})
