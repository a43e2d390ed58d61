import type { Metrics } from '../../../metrics.ts'
import type { Feed } from './feed.ts'

export function measureFeed(metrics: Metrics, feed: Pick<Feed, 'lag'>): void {
  metrics.gauge('feedLagSeconds', () => feed.lag().seconds)
  metrics.gauge('feedLagEvents', () => feed.lag().events)
}
