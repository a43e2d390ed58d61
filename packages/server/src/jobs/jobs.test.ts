import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database/test-database.ts'
import { createPool } from '../db/pool/create-pool.ts'
import { type CronLine, defineChore, defineJob, implementJob, type Job } from './job.ts'
import { putJobs, removeJob } from './queue.queries.ts'
import { type JobRunner, migrateJobs, startJobs } from './runner.ts'

const log = pino({ level: 'silent' })
const noteJob = defineJob<{ text: string }>({
  name: 'note',
  parse(payload) {
    const { text } = Object(payload) as { text?: unknown }
    if (typeof text !== 'string') throw new Error('text must be a string')
    return { text }
  },
})

let database: TestDatabase
let pool: ReturnType<typeof createPool>
let runners: JobRunner[]

function useQueue(): void {
  beforeEach(async () => {
    database = await createTestDatabase()
    pool = createPool({ connection: database.connection, size: 8, statementTimeout: 30_000 })
    pool.on('connect', (client) => client.on('error', () => {}))
    runners = []
  })
  afterEach(async () => {
    for (const runner of runners) await runner.stop()
    await pool.end()
    await database.drop()
  })
}

const start = async (jobs: Job[], crontab: CronLine[] = []): Promise<JobRunner> => {
  await migrateJobs(database.db, pool, log)
  const runner = await startJobs({ db: database.db, pool, jobs, crontab, log })
  runners.push(runner)
  return runner
}

const jobsLeft = async (): Promise<unknown[]> =>
  (await sql`select key, locked_by as worker from graphile_worker.jobs order by key`.execute(database.db)).rows

describe('the job queue', () => {
  useQueue()

  it('can be created by several servers at the same time', async () => {
    await Promise.all([migrateJobs(database.db, pool, log), migrateJobs(database.db, pool, log)])
    expect(await jobsLeft()).toEqual([])
  })

  it('runs a due job with its payload, and only the last job with the same key', async () => {
    const notes: string[] = []
    await start([implementJob(noteJob, async ({ text }) => void notes.push(text))])
    const put = (key: string, text: string, delay: number) =>
      putJobs(database.db, noteJob, [{ key, payload: { text }, delay }])
    await put('a', 'first', 3_600)
    await put('a', 'second', 0)
    await put('b', 'later', 3_600)
    await put('c', 'never', 3_600)
    await removeJob(database.db, 'c')
    await expect.poll(jobsLeft).toEqual([{ key: 'b', worker: null }])
    expect(notes).toEqual(['second'])
    // Job `b` runs now that it is due, so it was waiting for its time and not for a worker.
    await put('b', 'now', 0)
    await expect.poll(jobsLeft).toEqual([])
    expect(notes).toEqual(['second', 'now'])
  })

  it('does not contain a job whose transaction was rolled back', async () => {
    await migrateJobs(database.db, pool, log)
    const rolledBack = database.db.transaction().execute(async (transaction) => {
      await putJobs(transaction, noteJob, [{ key: 'a', payload: { text: 'x' }, delay: 0 }])
      throw new Error('roll back')
    })
    await expect(rolledBack).rejects.toThrow('roll back')
    expect(await jobsLeft()).toEqual([])
  })
})

describe('a background job', () => {
  useQueue()

  it('runs again if its worker died, but not while its worker is alive', async () => {
    await migrateJobs(database.db, pool, log)
    await putJobs(database.db, noteJob, [
      { key: 'dead', payload: { text: 'dead' }, delay: 0 },
      { key: 'alive', payload: { text: 'alive' }, delay: 0 },
    ])
    // A killed process leaves behind its locked jobs and its last heartbeat.
    await sql`update graphile_worker._private_jobs set locked_at = now() - interval '20 seconds', attempts = 1,
      locked_by = 'pool-' || key`.execute(database.db)
    await sql`insert into job_worker (id, seen) values
      ('pool-dead', now() - interval '20 seconds'), ('pool-alive', now() + interval '1 hour')`.execute(database.db)
    const notes: string[] = []
    await start([implementJob(noteJob, async ({ text }) => void notes.push(text))])
    // The runner releases all jobs of dead workers at the same time, so the job that is still locked was not released.
    await expect.poll(jobsLeft).toEqual([{ key: 'alive', worker: 'pool-alive' }])
    expect(notes).toEqual(['dead'])
  })

  it('ends before its runner stops', async () => {
    let hasEnded = false
    const started = Promise.withResolvers<void>()
    const slow = implementJob(noteJob, async () => {
      started.resolve()
      await sleep(500)
      hasEnded = true
    })
    const runner = await start([slow])
    await putJobs(database.db, noteJob, [{ key: 'a', payload: { text: 'x' }, delay: 0 }])
    await started.promise
    await runner.stop()
    runners = []
    expect(hasEnded).toBe(true)
    // The runner may still be recording the end of the job. The pool waits for that statement before it closes.
    await expect.poll(jobsLeft).toEqual([])
    const { rows } = await sql`select from job_worker`.execute(database.db)
    expect(rows).toHaveLength(0)
  })
})

describe('a job runner', () => {
  useQueue()

  it('does not run after it was stopped during a restart', async () => {
    const runner = await start([])
    await expect.poll(() => hasConnection(`query like 'LISTEN %'`)).toBe(true)
    let stopped: Promise<void> | undefined
    await database.db.transaction().execute(async (transaction) => {
      await sql`lock table graphile_worker.migrations`.execute(transaction)
      // The runner ends when another server announces an incompatible queue, and sets the exit code of this process.
      onTestFinished(() => {
        process.exitCode = undefined
      })
      await sql`select pg_notify('worker:migrate', '{"breaking": true}')`.execute(database.db)
      await expect.poll(() => hasConnection(`wait_event_type = 'Lock'`)).toBe(true)
      stopped = runner.stop()
    })
    await stopped
    runners = []
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0)
  })
})

async function hasConnection(condition: string): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and ${sql.raw(condition)}`.execute(database.db)
  return rows.length > 0
}

describe('a job in the crontab', () => {
  useQueue()

  it('runs even if a server with a fast clock has postponed it', async () => {
    const chore = defineChore('chore')
    let runs = 0
    await migrateJobs(database.db, pool, log)
    // Create the state that a server with a fast clock leaves behind.
    await sql`insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
      values ('chore', now(), now() + interval '1 year')`.execute(database.db)
    await putJobs(database.db, chore, [{ key: 'cron chore', payload: undefined, delay: 365 * 86_400 }])
    await start([implementJob(chore, async () => void runs++)], [{ job: chore, match: '* * * * *' }])
    await expect.poll(() => runs).toBeGreaterThan(0)
    const { rows } = await sql<{ isPast: boolean }>`
      select last_execution <= clock_timestamp() as "isPast" from graphile_worker._private_known_crontabs`.execute(
      database.db,
    )
    expect(rows).toEqual([{ isPast: true }])
  })
})

it('ignores the payload that the crontab adds to a job without a payload', async () => {
  let runs = 0
  await implementJob(defineChore('chore'), async () => void runs++).run({ _cron: {} })
  expect(runs).toBe(1)
})
