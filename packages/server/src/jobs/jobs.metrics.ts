import { performance } from 'node:perf_hooks'
import type { Database } from '../db/database.ts'
import type { Metrics } from '../metrics.ts'
import type { Job } from './job.ts'
import { countJobs } from './queue.queries.ts'

const KEPT_MS = 15_000

export function measureJobs(metrics: Metrics, db: Database): void {
  metrics.gauge('jobs', () => countJobs(db), KEPT_MS)
}

/** The same job, which tells how long it took. */
export function timeJob(metrics: Metrics): (job: Job) => Job {
  const addSeconds = metrics.histogram('jobSeconds')
  return ({ name, run }) => ({
    name,
    async run(payload) {
      const began = performance.now()
      const tell = (outcome: string): void => addSeconds((performance.now() - began) / 1_000, name, outcome)
      try {
        await run(payload)
        tell('done')
      } catch (error) {
        tell('failed')
        throw error
      }
    },
  })
}
