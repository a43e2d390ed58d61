import type pg from 'pg'
import type { Metrics } from '../../metrics.ts'
import type { Tracing } from '../../tracing/spans.ts'
import { traceStatements } from '../../tracing/statement-spans.ts'
import type { PoolWatch } from '../database.ts'
import { measurePool, type PoolName } from './pool.metrics.ts'

export function watchPool(
  pool: pg.Pool,
  name: PoolName,
  { metrics, tracing }: { metrics: Metrics; tracing: Tracing | undefined },
): PoolWatch {
  return { waited: measurePool(metrics, name, pool), ...(tracing && { statement: traceStatements(tracing) }) }
}
