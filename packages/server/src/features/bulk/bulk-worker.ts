import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { Load } from '../../http/request-load.ts'
import { pause } from '../../lib/pause.ts'
import { type DueJob, selectDueJobs } from './bulk-jobs.queries.ts'
import { workOn } from './work.ts'

/** Runs the bulk jobs of all accounts. Each process runs one; a job's row is locked while one of them works on it. */
export interface BulkWorker {
  close(): Promise<void>
}

export interface BulkWorkerOptions {
  db: Database
  load: Load
  log: FastifyBaseLogger
  clock: () => Date
}

const IDLE_MS = 500
/** The pause between two batches while clients wait. */
const BUSY_MS = 250
/** After this many failures of a batch, its devices are changed one by one, and those that fail are left out. */
const ATTEMPTS = 5

export function createBulkWorker({ db, load, log, clock }: BulkWorkerOptions): BulkWorker {
  const closing = new AbortController()
  /** The number of consecutive failures, by job. */
  const failures = new Map<string, number>()

  const step = async (job: DueJob): Promise<void> => {
    const failed = failures.get(job.id) ?? 0
    try {
      await workOn({ db, clock }, job, { singly: failed >= ATTEMPTS })
      failures.delete(job.id)
    } catch (error) {
      failures.set(job.id, failed + 1)
      if (failed === 0 && !closing.signal.aborted)
        log.warn({ err: error, job: job.id }, 'cannot work on a bulk job; retrying')
    }
  }

  const follow = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const due = await selectDueJobs(db, clock()).catch((error: unknown): DueJob[] => {
        log.debug({ err: error }, 'cannot look for bulk jobs')
        return []
      })
      // The accounts take turns: one batch of each job.
      for (const job of due) {
        await step(job)
        if (closing.signal.aborted) return
        if (load.isHigh()) await pause(BUSY_MS, closing.signal)
      }
      if (due.length === 0 || failures.size > 0) await pause(IDLE_MS, closing.signal)
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
