import type pg from 'pg'
import type { Metrics } from '../../metrics.ts'

export type PoolName = 'requests' | 'work'

export function measurePool(metrics: Metrics, name: PoolName, pool: pg.Pool): (ms: number) => void {
  metrics.gauge('databaseConnections', () => ({ [name]: pool.totalCount }))
  metrics.gauge('databaseConnectionsInUse', () => ({ [name]: pool.totalCount - pool.idleCount }))
  metrics.gauge('databaseConnectionsMost', () => ({ [name]: pool.options.max }))
  metrics.gauge('databaseWaiting', () => ({ [name]: pool.waitingCount }))
  const addSeconds = metrics.histogram('databaseWaitSeconds')
  return (ms) => addSeconds(ms / 1_000, name)
}
