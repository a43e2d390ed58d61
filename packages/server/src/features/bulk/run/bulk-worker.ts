import type { FastifyBaseLogger } from 'fastify'
import type { Load } from '../../../http/average-load.ts'
import { pause } from '../../../lib/pause.ts'
import { type ActiveJob, selectActiveJobs } from '../bulk-jobs.queries.ts'
import { isOutage, type WorkOptions, type WorkResult, workOn } from './job-steps.ts'
import { createLookAhead } from './look-ahead.ts'
import { BATCH } from './next-batch.ts'

/** Each server process has a worker, which locks a job's row while it works on the job. */
export interface BulkWorker {
  close(): Promise<void>
}

export interface BulkWorkerOptions extends Omit<WorkOptions, 'ahead'> {
  load: Load
  log: FastifyBaseLogger
}

/** The longest pause, in milliseconds, after a round without work. */
const IDLE_MS = 500
/**
 * The longest pause, in milliseconds, after a round without work while less than `SOON_MS` have passed since the last
 * work. It is short because a client often starts a job right after its preview.
 */
const READY_MS = 50
/** The number of milliseconds after work during which `READY_MS` applies. */
const SOON_MS = 2_000
/**
 * The shortest pause, in milliseconds, after a round without work. It keeps the worker from polling without a pause
 * while other processes work on the jobs.
 */
const MIN_PAUSE_MS = 20
/** The pause after each batch or preview step, in milliseconds, while many requests are in flight. */
const BUSY_MS = 250
/** The pause of a job, in milliseconds, after a failure. */
const RETRY_MS = 500
/**
 * After this number of consecutive failures of a batch, the worker changes the batch's devices one by one. It records a
 * device that fails again as failed. A preview that fails again after this number of failures ends as FAILED. Failures
 * while the database is unavailable or full do not count.
 */
const ATTEMPTS = 5
const SINGLE_DEVICES = BATCH

interface Retry {
  failures: number
  /** The number of devices that were changed one by one. */
  changed: number
  retryAt: number
}

export function createBulkWorker({ load, log, ...given }: BulkWorkerOptions): BulkWorker {
  const ahead = createLookAhead(given.db, load)
  const options = { ...given, ahead }
  const closing = new AbortController()
  const retries = new Map<string, Retry>()
  let workedAt = Number.NEGATIVE_INFINITY

  const step = async (job: ActiveJob): Promise<WorkResult> => {
    const retry = retries.get(job.id)
    const singly = retry !== undefined && retry.failures >= ATTEMPTS
    try {
      const result = await workOn(options, job, { singly })
      if (retry === undefined || result === 'idle') return result
      if (!singly || result === 'failed' || ++retry.changed >= SINGLE_DEVICES) retries.delete(job.id)
      return result
    } catch (error) {
      const { failures = 0, changed = 0 } = retry ?? {}
      const failed = isOutage(error) ? 0 : 1
      retries.set(job.id, { failures: failures + failed, changed, retryAt: performance.now() + RETRY_MS })
      const isNew = retry === undefined || (failed === 1 && failures === 0)
      if (isNew && !closing.signal.aborted) log.warn({ err: error, job: job.id }, 'cannot process a bulk job; retrying')
      return 'idle'
    }
  }

  /** Runs one step of each due job, so the jobs take turns. Returns the number of milliseconds until the next round. */
  const round = async (): Promise<number> => {
    const jobs = await selectActiveJobs(options.db)
    const active = new Set(jobs.map(({ id }) => id))
    for (const id of retries.keys()) if (!active.has(id)) retries.delete(id)
    ahead.keepOnly(active)
    let hasWorked = false
    let waitMs = performance.now() - workedAt < SOON_MS ? READY_MS : IDLE_MS
    for (const job of jobs) {
      if (closing.signal.aborted) return 0
      const wait = Math.max(job.waitMs, (retries.get(job.id)?.retryAt ?? 0) - performance.now())
      if (wait > 0) {
        waitMs = Math.min(waitMs, wait)
        continue
      }
      if ((await step(job)) !== 'idle') {
        hasWorked = true
        workedAt = performance.now()
      }
      if (load.isHigh()) await pause(BUSY_MS, closing.signal)
    }
    return hasWorked ? 0 : Math.max(MIN_PAUSE_MS, waitMs)
  }

  const follow = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const ms = await round().catch((error: unknown) => {
        log.debug({ err: error }, 'cannot find the bulk jobs to work on; retrying')
        return IDLE_MS
      })
      if (ms > 0) await pause(ms, closing.signal)
    }
  }
  const ended = follow()

  return {
    async close() {
      closing.abort()
      await ended
    },
  }
}
