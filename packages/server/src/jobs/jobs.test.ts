import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database/test-database.ts'
import { createPool } from '../db/database.ts'
import { type CronLine, defineChore, defineJob, implementJob, type Job } from './job.ts'
import { putJobs, removeJob } from './queue.queries.ts'
import { type JobRunner, migrateJobs, startJobs } from './runner.ts'

const log = pino({ level: 'silent' })
const noteJob = defineJob<{ text: string }>({
  name: 'note',
  parse(payload) {
    const { text } = Object(payload) as { text?: unknown }
    if (typeof text !== 'string') throw new Error('no text')
    return { text }
  },
})

let database: TestDatabase
let pool: ReturnType<typeof createPool>
let runners: JobRunner[]

/** A queue of the test's own. */
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

/** The keys of the jobs that are there, and which worker has them. */
const jobsLeft = async (): Promise<unknown[]> =>
  (await sql`select key, locked_by as worker from graphile_worker.jobs order by key`.execute(database.db)).rows

describe('the queue', () => {
  useQueue()

  it('is made by several servers that start at once', async () => {
    await Promise.all([migrateJobs(database.db, pool, log), migrateJobs(database.db, pool, log)])
    expect(await jobsLeft()).toEqual([])
  })

  it('runs a job with its payload, once its time has come, and of one key the last', async () => {
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
    // The same job, brought forward: it runs, so it was not for want of a worker that it waited.
    await put('b', 'now', 0)
    await expect.poll(jobsLeft).toEqual([])
    expect(notes).toEqual(['second', 'now'])
  })

  it('goes with the transaction that put the job there', async () => {
    await migrateJobs(database.db, pool, log)
    const undone = database.db.transaction().execute(async (transaction) => {
      await putJobs(transaction, noteJob, [{ key: 'a', payload: { text: 'x' }, delay: 0 }])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await jobsLeft()).toEqual([])
  })
})

describe('a job', () => {
  useQueue()

  it('that was locked by a worker which died runs again within 30 seconds, one of a worker that lives does not', async () => {
    await migrateJobs(database.db, pool, log)
    await putJobs(database.db, noteJob, [
      { key: 'dead', payload: { text: 'dead' }, delay: 0 },
      { key: 'alive', payload: { text: 'alive' }, delay: 0 },
    ])
    // What a killed process leaves behind: jobs with its name on them, and its last heartbeat.
    await sql`update graphile_worker._private_jobs set locked_at = now() - interval '20 seconds', attempts = 1,
      locked_by = 'pool-' || key`.execute(database.db)
    await sql`insert into job_worker (id, seen) values
      ('pool-dead', now() - interval '20 seconds'), ('pool-alive', now() + interval '1 hour')`.execute(database.db)
    const notes: string[] = []
    await start([implementJob(noteJob, async ({ text }) => void notes.push(text))])
    // What is freed is freed at once: the other would not bear that name any more.
    await expect.poll(jobsLeft).toEqual([{ key: 'alive', worker: 'pool-alive' }])
    expect(notes).toEqual(['dead'])
  })

  it('under way is waited for when the server stops', async () => {
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
    // The queue is told that it ended on a connection which the pool waits for when it ends.
    await expect.poll(jobsLeft).toEqual([])
    const { rows } = await sql`select from job_worker`.execute(database.db)
    expect(rows).toHaveLength(0)
  })
})

describe('a job of the crontab', () => {
  useQueue()

  it('that a server whose clock was ahead put off is called back', async () => {
    const chore = defineChore('chore')
    let runs = 0
    await migrateJobs(database.db, pool, log)
    // As such a server leaves it.
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

it('a job that takes nothing takes whatever the crontab gives it', async () => {
  let runs = 0
  await implementJob(defineChore('chore'), async () => void runs++).run({ _cron: {} })
  expect(runs).toBe(1)
})
