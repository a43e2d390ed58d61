import { useState } from 'react'
import { useQuery } from 'urql'
import { devicesOf, useLiveEvents } from '../../graphql/use-live-events.ts'
import { useRefresh } from '../../hooks/use-refresh.ts'
import { EventPageDocument, type EventPageQuery } from './events.generated.ts'
import type { EventFilter } from './events-search.ts'

export type LoggedEvent = NonNullable<EventPageQuery['login']>['events']['items'][number]

interface EventLogOptions {
  filter: EventFilter
  after: string | undefined
  /** Whether to show new events as they arrive. Otherwise, they are held back and counted. */
  isLive: boolean
}

export interface EventLog {
  /** Newest first. Undefined until loaded. */
  events: readonly LoggedEvent[] | undefined
  /** The IDs of events that arrived after the page was loaded. */
  fresh: ReadonlySet<string>
  /** The number of events that arrived while `isLive` was false. */
  held: number
  showHeld(): void
  hasMore: boolean
  error: Error | undefined
  reload(): void
}

/** With more rows, rendering each new event would be slow. The next page shows older events. */
const MAX_SHOWN = 300

/** A page of events. The newest page also shows events as they happen. */
export function useEventLog({ filter, after, isLive }: EventLogOptions): EventLog {
  const [query, refetch] = useQuery({
    query: EventPageDocument,
    variables: { ...filter, after: after ?? null },
    requestPolicy: 'network-only',
  })
  const { data, error } = query
  const refresh = useRefresh(query, () => refetch({ requestPolicy: 'network-only' }))
  const [tail, setTail] = useState<{ shown: readonly LoggedEvent[]; held: readonly LoggedEvent[] }>(none)
  const isNewest = after === undefined && filter.maxDate === undefined
  useLiveEvents({
    onEvents(events) {
      if (!isNewest) return
      // Only the server can evaluate the filter.
      if (filter.where !== undefined) return isLive ? refresh() : undefined
      const arrived = events.filter((event) => matches(event, filter)).toReversed()
      if (arrived.length === 0) return
      setTail(({ shown, held }) =>
        isLive
          ? { shown: [...arrived, ...shown].slice(0, MAX_SHOWN), held }
          : { shown, held: [...arrived, ...held].slice(0, MAX_SHOWN) },
      )
    },
    onGap: refresh,
  })

  const page = data?.login?.events
  const known = new Set(page?.items.map(({ id }) => id))
  const fresh = tail.shown.filter(({ id }) => !known.has(id))
  const all = page === undefined ? undefined : [...fresh, ...page.items]
  const events = all?.slice(0, MAX_SHOWN)
  return {
    events,
    fresh: new Set(fresh.map(({ id }) => id)),
    held: tail.held.length,
    showHeld: () => setTail(({ shown, held }) => ({ shown: [...held, ...shown].slice(0, MAX_SHOWN), held: [] })),
    hasMore: page?.hasMore === true || (all?.length ?? 0) > MAX_SHOWN,
    error,
    reload() {
      setTail(none)
      refresh()
    },
  }
}

const none = { shown: [], held: [] }

/** Applies the filter in the same way as the server. */
function matches(event: LoggedEvent, { types, deviceId, minDate }: EventFilter): boolean {
  if (types !== undefined && !types.includes(event.type)) return false
  if (minDate !== undefined && new Date(event.timestamp) < new Date(minDate)) return false
  return deviceId === undefined || devicesOf(event).some((id) => deviceId.includes(id))
}
