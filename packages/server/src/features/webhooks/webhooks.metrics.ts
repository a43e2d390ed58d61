import type { Database } from '../../db/database.ts'
import type { Metrics } from '../../metrics.ts'
import type { OutboundResult } from '../../outbound/outbound.ts'
import type { Maker } from './making/maker.ts'
import { countUndelivered, readLongestDue } from './sending/backlog.queries.ts'

/** Counts an attempt and its outcome. */
export type CountAttempt = (result: OutboundResult) => void

const CACHE_MS = 15_000

export function measureDeliveries(metrics: Metrics, db: Database): CountAttempt {
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

export function measureMaker(metrics: Metrics, maker: Pick<Maker, 'lag'>): void {
  metrics.gauge('makerLagSeconds', async () => (await maker.lag())?.seconds)
  metrics.gauge('makerLagEvents', async () => (await maker.lag())?.events)
}
