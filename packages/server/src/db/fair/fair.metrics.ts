import type { Metrics } from '../../metrics.ts'
import type { FairOptions } from './user-database.ts'

export function measureFairness(metrics: Metrics): Pick<FairOptions, 'onOpen' | 'onReject'> {
  const reject = metrics.counter('userStatementsRejected')
  return {
    onOpen(counts) {
      metrics.gauge('userStatements', () => counts.inFlight())
      metrics.gauge('userStatementsWaiting', () => counts.waiting())
    },
    onReject: (reason) => reject(reason),
  }
}
