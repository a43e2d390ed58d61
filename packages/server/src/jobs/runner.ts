import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { Logger, parseCronItems, type Runner, run, runMigrations, type WorkerEvents } from 'graphile-worker'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Database } from '../db/database.ts'
import { beat, freeLocksOfDead, removeWorker } from './heartbeat.queries.ts'
import type { CronLine, Job } from './job.ts'
import { callBackCrons } from './queue.queries.ts'

export interface JobRunner {
  /** Takes no more jobs, and resolves once those under way have ended. */
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
const BEAT_MS = 5_000
/** A worker unheard of for this long is dead. With the pause between two looks it is well within 30 seconds. */
const SILENCE_SECONDS = 15
const RESTART_MS = 1_000
const CRON_KEY = 'cron '

/** Brings the queue's tables to what this release needs. Of several servers that start at once, one does it. */
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

/** Runs jobs until it is stopped: a runner that ends by itself, as with its database away, is followed by another. */
export async function startJobs(options: JobRunnerOptions): Promise<JobRunner> {
  const { db, pool, jobs, crontab, log } = options
  const stopping = new AbortController()
  const taskList = Object.fromEntries(jobs.map(({ name, run }) => [name, run]))
  const cronItems = crontab.map(({ job, match }) => ({
    task: job.name,
    match,
    identifier: job.name,
    // One that was missed is made good by the next.
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
      await runner.promise.catch((error: unknown) =>
        log.warn({ err: error }, 'the job runner ended; starting it again'),
      )
      if (!(await pauseUnless(stopping.signal, RESTART_MS))) return
      runner = await start().catch(() => runner)
    }
  }
  const keepBeating = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        if (workerId !== undefined) await beat(db, workerId)
        const dead = await freeLocksOfDead(db, SILENCE_SECONDS)
        if (dead.length > 0) log.warn({ workers: dead }, 'freed the jobs of workers that died')
        const early = await callBackCrons(
          db,
          crontab.map(({ job }) => job.name),
          CRON_KEY,
        )
        if (early.length > 0) log.warn({ jobs: early }, 'a server whose clock is ahead had put these off')
      } catch (error) {
        log.debug({ err: error }, 'no heartbeat')
      }
      await pauseUnless(stopping.signal, BEAT_MS)
    }
  }
  const ended = Promise.all([keepRunning(), keepBeating()])

  return {
    async stop() {
      stopping.abort()
      await runner.stop().catch(() => {})
      await ended
      if (workerId !== undefined) await removeWorker(db, workerId).catch(() => {})
    },
  }
}

/** False when the signal came first. */
const pauseUnless = (signal: AbortSignal, ms: number): Promise<boolean> =>
  sleep(ms, true, { signal, ref: false }).catch(() => false)

/** Jobs that end well are nothing to write about. */
function jobLogger(log: FastifyBaseLogger): Logger {
  return new Logger(({ workerId, jobId }) => (level, message, meta) => {
    const fields = { workerId, jobId, ...(meta?.error instanceof Error && { err: meta.error }) }
    if (level === 'error') log.error(fields, message)
    else if (level === 'warning') log.warn(fields, message)
    else log.debug(fields, message)
  })
}
