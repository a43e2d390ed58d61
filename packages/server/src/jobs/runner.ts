import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { Logger, parseCronItems, type Runner, run, runMigrations, type WorkerEvents } from 'graphile-worker'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Database } from '../db/database.ts'
import { recordHeartbeat, releaseJobsOfDead, removeWorker } from './heartbeat.queries.ts'
import type { CronLine, Job } from './job.ts'
import { rescheduleCrons } from './queue.queries.ts'

export interface JobRunner {
  /** Starts no more jobs. Resolves when all running jobs have ended. */
  stop(): Promise<void>
}

export interface JobRunnerOptions {
  db: Database
  pool: pg.Pool
  jobs: readonly Job[]
  crontab: readonly CronLine[]
  log: FastifyBaseLogger
}

const CONCURRENCY = 5
const POLL_MS = 2_000
const HEARTBEAT_MS = 5_000
/** After this time without a heartbeat, the jobs of a worker are released. */
const DEAD_AFTER_SECONDS = 15
const RESTART_MS = 1_000
const CRON_KEY = 'cron '

/** Migrates the job queue's tables. Servers that start at the same time migrate one after another. */
export async function migrateJobs(db: Database, pool: pg.Pool, log: FastifyBaseLogger): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(hashtext('muster jobs'))`.execute(connection)
    try {
      await runMigrations({ pgPool: pool, logger: jobLogger(log) })
    } finally {
      await sql`select pg_advisory_unlock(hashtext('muster jobs'))`.execute(connection)
    }
  })
}

/** Starts a job runner, and restarts it if it ends unexpectedly, for example because the database is unavailable. */
export async function startJobs(options: JobRunnerOptions): Promise<JobRunner> {
  const { db, pool, jobs, crontab, log } = options
  const stopping = new AbortController()
  const taskList = Object.fromEntries(jobs.map(({ name, run }) => [name, run]))
  const cronNames = crontab.map(({ job }) => job.name)
  const cronItems = crontab.map(({ job, match }) => ({
    task: job.name,
    match,
    identifier: job.name,
    // A missed run is skipped, because the next run also does the work of the missed one.
    options: { backfillPeriod: 0, maxAttempts: 3, jobKey: `${CRON_KEY}${job.name}`, jobKeyMode: 'replace' as const },
  }))
  let workerId: string | undefined
  const start = (): Promise<Runner> => {
    const events: WorkerEvents = new EventEmitter()
    events.on('pool:create', ({ workerPool }) => {
      workerId = workerPool.id
    })
    return run({
      pgPool: pool,
      taskList,
      parsedCronItems: parseCronItems(cronItems),
      concurrency: CONCURRENCY,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      logger: jobLogger(log),
      events,
    })
  }

  let runner = await start()
  const keepRunning = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await runner.promise.catch((error: unknown) => log.warn({ err: error }, 'the job runner stopped; restarting it'))
      if (!(await pauseUnless(stopping.signal, RESTART_MS))) return
      runner = await start().catch(() => runner)
    }
    // `stop` was called during a restart and stopped only the previous runner.
    await runner.stop().catch(() => {})
  }
  const sendHeartbeats = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        if (workerId !== undefined) await recordHeartbeat(db, workerId)
        const dead = await releaseJobsOfDead(db, DEAD_AFTER_SECONDS)
        if (dead.length > 0) log.warn({ workers: dead }, 'released the jobs of dead workers')
        const postponed = await rescheduleCrons(db, cronNames, CRON_KEY)
        if (postponed.length > 0)
          log.warn({ jobs: postponed }, 'rescheduled jobs that a server with a fast clock had postponed')
      } catch (error) {
        log.debug({ err: error }, 'the job heartbeat failed')
      }
      await pauseUnless(stopping.signal, HEARTBEAT_MS)
    }
  }
  const ended = Promise.all([keepRunning(), sendHeartbeats()])

  return {
    async stop() {
      stopping.abort()
      await runner.stop().catch(() => {})
      await ended
      if (workerId !== undefined) await removeWorker(db, workerId).catch(() => {})
    },
  }
}

/** Waits for `ms` milliseconds and resolves to true. Resolves to false as soon as the signal is aborted. */
const pauseUnless = (signal: AbortSignal, ms: number): Promise<boolean> =>
  sleep(ms, true, { signal, ref: false }).catch(() => false)

function jobLogger(log: FastifyBaseLogger): Logger {
  return new Logger(({ workerId, jobId }) => (level, message, meta) => {
    const fields = { workerId, jobId, ...(meta?.error instanceof Error && { err: meta.error }) }
    if (level === 'error') log.error(fields, message)
    else if (level === 'warning') log.warn(fields, message)
    else log.debug(fields, message)
  })
}
