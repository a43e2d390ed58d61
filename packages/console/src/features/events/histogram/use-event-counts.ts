import { useQuery } from 'urql'
import { useLiveEvents } from '../../../graphql/live-events.ts'
import { useLastValue } from '../../../hooks/use-last-value.ts'
import { EventCountsDocument, type EventCountsQuery } from '../events.generated.ts'
import type { EventFilter } from '../events-search.ts'
import { useThrottled } from '../log/use-throttled.ts'

export type EventInterval = NonNullable<EventCountsQuery['login']>['eventCounts'][number]

/** Minimum interval between counts after live events, because the server reads all matching events for each count. */
const COUNT_INTERVAL_MS = 30_000

/**
 * Counts the events that match the filter. Counts again after a gap in the live events. Also counts again after new
 * events while `isLive` is true, unless the filter has an end date.
 */
export function useEventCounts(filter: EventFilter, isLive: boolean) {
  const [{ data, error, fetching }, refetch] = useQuery({
    query: EventCountsDocument,
    variables: { ...filter },
    requestPolicy: 'cache-and-network',
  })
  const count = useThrottled(COUNT_INTERVAL_MS, () => refetch({ requestPolicy: 'network-only' }))
  useLiveEvents({ onEvents: () => isLive && filter.maxDate === undefined && count(), onGap: count })
  const intervals = useLastValue(data?.login?.eventCounts)
  const total = data?.login?.eventCounts.reduce((sum, interval) => sum + interval.count, 0)
  return { intervals, total, error, isCounting: fetching, retry: () => refetch({ requestPolicy: 'network-only' }) }
}
