import type { Database } from '../db/database.ts'
import type { Metrics } from '../metrics.ts'
import { countJobs } from './queue.queries.ts'

const KEPT_MS = 15_000

export function measureJobs(metrics: Metrics, db: Database): void {
  metrics.gauge('jobs', () => countJobs(db), KEPT_MS)
}
