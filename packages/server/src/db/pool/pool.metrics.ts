import type pg from 'pg'
import type { Metrics } from '../../metrics.ts'

/** What a pool is for. */
export type PoolName = 'requests' | 'work'

/** Returns what takes in how long a connection was waited for, in milliseconds. */
export function measurePool(metrics: Metrics, name: PoolName, pool: pg.Pool): (ms: number) => void {
  metrics.gauge('databaseConnections', () => ({ [name]: pool.totalCount }))
  metrics.gauge('databaseConnectionsInUse', () => ({ [name]: pool.totalCount - pool.idleCount }))
  metrics.gauge('databaseConnectionsMost', () => ({ [name]: pool.options.max }))
  metrics.gauge('databaseWaiting', () => ({ [name]: pool.waitingCount }))
  const addSeconds = metrics.histogram('databaseWaitSeconds')
  return (ms) => addSeconds(ms / 1_000, name)
}
