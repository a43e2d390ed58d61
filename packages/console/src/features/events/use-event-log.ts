import { useState } from 'react'
import { useQuery } from 'urql'
import { useRefresh } from '../../components/use-refresh.ts'
import { devicesOf, useLiveEvents } from '../../graphql/use-live-events.ts'
import { EventPageDocument, type EventPageQuery } from './events.generated.ts'
import type { EventFilter } from './events-search.ts'

export type LoggedEvent = NonNullable<EventPageQuery['login']>['events']['items'][number]

interface EventLogOptions {
  filter: EventFilter
  after: string | undefined
  /** Whether new ones are shown as they come; else they are counted. */
  isLive: boolean
}

export interface EventLog {
  /** Newest first; undefined until the first answer. */
  events: readonly LoggedEvent[] | undefined
  /** Those that came since the page was loaded. */
  fresh: ReadonlySet<string>
  /** How many came while it was not live. */
  waiting: number
  showWaiting(): void
  hasMore: boolean
  error: Error | undefined
  reload(): void
}

/** More rows than this are too many to draw again with each event; older ones are a page away. */
const SHOWN = 300

/** A page of events, and on top of the newest page what happens meanwhile. */
export function useEventLog({ filter, after, isLive }: EventLogOptions): EventLog {
  const [query, refetch] = useQuery({
    query: EventPageDocument,
    variables: { ...filter, after: after ?? null },
    requestPolicy: 'network-only',
  })
  const { data, error } = query
  const refresh = useRefresh(query, () => refetch({ requestPolicy: 'network-only' }))
  const [tail, setTail] = useState<{ shown: readonly LoggedEvent[]; waiting: readonly LoggedEvent[] }>(none)
  const isNewest = after === undefined && filter.maxDate === undefined
  useLiveEvents({
    onEvents(events) {
      if (!isNewest) return
      const come = events.filter((event) => matches(event, filter)).toReversed()
      if (come.length === 0) return
      setTail(({ shown, waiting }) =>
        isLive
          ? { shown: [...come, ...shown].slice(0, SHOWN), waiting }
          : { shown, waiting: [...come, ...waiting].slice(0, SHOWN) },
      )
    },
    onGap: refresh,
  })

  const page = data?.login?.events
  const known = new Set(page?.items.map(({ id }) => id))
  const fresh = tail.shown.filter(({ id }) => !known.has(id))
  const all = page === undefined ? undefined : [...fresh, ...page.items]
  const events = all?.slice(0, SHOWN)
  return {
    events,
    fresh: new Set(fresh.map(({ id }) => id)),
    waiting: tail.waiting.length,
    showWaiting: () =>
      setTail(({ shown, waiting }) => ({ shown: [...waiting, ...shown].slice(0, SHOWN), waiting: [] })),
    hasMore: page?.hasMore === true || (all?.length ?? 0) > SHOWN,
    error,
    reload() {
      setTail(none)
      refresh()
    },
  }
}

const none = { shown: [], waiting: [] }

/** As the server would choose it. */
function matches(event: LoggedEvent, { types, deviceId, minDate }: EventFilter): boolean {
  if (types !== undefined && !types.includes(event.type)) return false
  if (minDate !== undefined && new Date(event.timestamp) < new Date(minDate)) return false
  return deviceId === undefined || devicesOf(event).some((id) => deviceId.includes(id))
}
