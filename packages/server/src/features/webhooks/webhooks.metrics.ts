import type { Database } from '../../db/database.ts'
import type { Metrics } from '../../metrics.ts'
import type { OutboundResult } from '../../outbound/outbound-post.ts'
import type { FanOut } from './fan-out/fan-out-loop.ts'
import { countUndelivered, readLongestDue } from './sending/backlog.queries.ts'

const CACHE_MS = 15_000

export function measureDeliveries(metrics: Metrics, db: Database): (result: OutboundResult) => void {
  metrics.gauge('deliveries', () => countUndelivered(db), CACHE_MS)
  metrics.gauge('deliveriesDueSeconds', () => readLongestDue(db), CACHE_MS)
  const countAttempt = metrics.counter('attempts')
  const addSeconds = metrics.histogram('attemptSeconds')
  return ({ status, duration }) => {
    const isSuccess = status !== null && status >= 200 && status < 300
    countAttempt(status === null ? 'unanswered' : isSuccess ? 'delivered' : 'refused')
    addSeconds(duration / 1_000)
  }
}

export function measureFanOut(metrics: Metrics, fanOut: Pick<FanOut, 'lag'>): void {
  metrics.gauge('fanOutLagSeconds', async () => (await fanOut.lag())?.seconds)
  metrics.gauge('fanOutLagEvents', async () => (await fanOut.lag())?.events)
}
