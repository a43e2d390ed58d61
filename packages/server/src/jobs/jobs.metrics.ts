import { performance } from 'node:perf_hooks'
import type { Database } from '../db/database.ts'
import type { Metrics } from '../metrics.ts'
import type { Job } from './job.ts'
import { countJobs } from './queue.queries.ts'

const CACHE_MS = 15_000

export function measureJobs(metrics: Metrics, db: Database): void {
  metrics.gauge('jobs', () => countJobs(db), CACHE_MS)
}

export function timeJob(metrics: Metrics): (job: Job) => Job {
  const addSeconds = metrics.histogram('jobSeconds')
  return ({ name, run }) => ({
    name,
    async run(payload) {
      const startedAt = performance.now()
      const record = (outcome: string): void => addSeconds((performance.now() - startedAt) / 1_000, name, outcome)
      try {
        await run(payload)
        record('done')
      } catch (error) {
        record('failed')
        throw error
      }
    },
  })
}
