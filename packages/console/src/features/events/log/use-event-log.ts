import { useEffect, useRef, useState } from 'react'
import { useClient } from 'urql'
import { devicesOf, useLiveEvents } from '../../../graphql/live-events.ts'
import { EventPageDocument } from '../events.generated.ts'
import type { EventFilter } from '../events-search.ts'
import { eventsOfRows, groupEvents } from './burst.ts'
import type { LoggedEvent } from './logged-event.ts'
import { useThrottled } from './use-throttled.ts'

interface EventLogOptions {
  filter: EventFilter
  after: string | undefined
  /** Whether to show new events as they arrive. If false, the log only counts new events. */
  isLive: boolean
  size?: number
  /** Whether to load more events while bursts leave room for more rows. */
  fills?: boolean
}

interface EventLog {
  /** Events, newest first. Undefined until loaded. */
  events: readonly LoggedEvent[] | undefined
  fresh: ReadonlySet<string>
  held: number
  showHeld(): void
  hasMore: boolean
  error: Error | undefined
  reload(): void
}

interface Page {
  items: readonly LoggedEvent[]
  hasMore: boolean
}

const PAGE_SIZE = 100
/** Number of events to load per request while bursts leave room for more rows. */
const FILL_SIZE = 300
/** Maximum number of rows to load, because rendering more is slow. With new events, the limit is `MAX_LIVE_ROWS`. */
const MAX_ROWS = 100
const MAX_LIVE_ROWS = 300
const MAX_EVENTS = 1_000
/** Minimum interval between fetches of new events, if only the server can determine which events match. */
const FETCH_INTERVAL_MS = 5_000

export function useEventLog({ filter, after, isLive, size = PAGE_SIZE, fills = false }: EventLogOptions): EventLog {
  const { page, error, load, fetchNewest } = usePages({ filter, after, size, fills })
  const [tail, setTail] = useState<{ shown: readonly LoggedEvent[]; held: readonly LoggedEvent[] }>(none)
  const isNewest = after === undefined && filter.maxDate === undefined
  const reload = (): void => {
    setTail(none)
    void load()
  }
  const add = (arrived: readonly LoggedEvent[]): void => {
    if (arrived.length === 0) return
    setTail(({ shown, held }) =>
      isLive
        ? { shown: [...arrived, ...shown].slice(0, MAX_EVENTS), held }
        : { shown, held: [...arrived, ...held].slice(0, MAX_EVENTS) },
    )
  }
  const known = new Set([...tail.held, ...tail.shown, ...(page?.items ?? [])].map(({ id }) => id))
  const fetchMatching = useThrottled(FETCH_INTERVAL_MS, async () => {
    if (page === undefined) return
    const newest = await fetchNewest()
    if (newest === undefined) return
    const arrived = newest.items.filter(({ id }) => !known.has(id))
    // Reload the page if all fetched events are new and the server has more events, which may also be new.
    if (arrived.length === newest.items.length && newest.hasMore) return reload()
    add(arrived)
  })
  useLiveEvents({
    onEvents(events) {
      if (!isNewest) return
      // Fetch the matching events if the filter has `where` or `view`, because only the server can evaluate them.
      if (filter.where !== undefined || filter.view !== undefined) fetchMatching()
      else add(events.filter((event) => matches(event, filter)).toReversed())
    },
    onGap: () => void load(),
  })

  const loaded = new Set(page?.items.map(({ id }) => id))
  const fresh = tail.shown.filter(({ id }) => !loaded.has(id))
  const all = page === undefined ? undefined : [...fresh, ...page.items]
  const events = all && eventsOfRows(all.slice(0, MAX_EVENTS), MAX_LIVE_ROWS)
  return {
    events,
    fresh: new Set(fresh.map(({ id }) => id)),
    held: tail.held.filter(({ id }) => !loaded.has(id)).length,
    showHeld: () => setTail(({ shown, held }) => ({ shown: [...held, ...shown].slice(0, MAX_EVENTS), held: [] })),
    hasMore: page?.hasMore === true || (all?.length ?? 0) > (events?.length ?? 0),
    error,
    reload,
  }
}

const none = { shown: [], held: [] }

function usePages({ filter, after, size, fills }: Required<Omit<EventLogOptions, 'isLive'>>) {
  const client = useClient()
  const [page, setPage] = useState<Page>()
  const [error, setError] = useState<Error>()
  const runs = useRef(0)
  const fetchPage = async (variables: { size: number; after: string | null }): Promise<Page | Error> => {
    const all = { ...filter, ...variables }
    const { data, error: failure } = await client.query(EventPageDocument, all, { requestPolicy: 'network-only' })
    return (
      data?.login?.events ??
      failure ??
      new Error('You are not a member of any account. Ask an admin of an account for an invitation.')
    )
  }
  const load = async (): Promise<void> => {
    const run = ++runs.current
    let items: readonly LoggedEvent[] = []
    let isFirst = true
    while (isFirst || hasRoom(items)) {
      const next = await fetchPage({ size: isFirst ? size : FILL_SIZE, after: items.at(-1)?.id ?? after ?? null })
      if (run !== runs.current) return
      if (next instanceof Error) return setError(next)
      isFirst = false
      const found = [...items, ...next.items]
      items = fills ? eventsOfRows(found, MAX_ROWS) : found
      setError(undefined)
      setPage({ items, hasMore: next.hasMore || items.length < found.length })
      if (!fills || !next.hasMore || items.length < found.length) return
    }
  }
  const start = useRef(load)
  useEffect(() => {
    void start.current()
    return () => {
      runs.current++
    }
  }, [])
  const fetchNewest = async (): Promise<Page | undefined> => {
    const run = runs.current
    const found = await fetchPage({ size: PAGE_SIZE, after: null })
    return run !== runs.current || found instanceof Error ? undefined : found
  }
  return { page, error, load, fetchNewest }
}

const hasRoom = (events: readonly LoggedEvent[]): boolean =>
  events.length < MAX_EVENTS && groupEvents(events).length < MAX_ROWS / 2

/** Returns whether a new event matches a filter without `where`, `view`, or `maxDate`. Applies the server's rules. */
function matches(event: LoggedEvent, { types, deviceId, minDate }: EventFilter): boolean {
  if (types !== undefined && !types.includes(event.type)) return false
  if (minDate !== undefined && new Date(event.timestamp) < new Date(minDate)) return false
  return deviceId === undefined || devicesOf(event).some((id) => deviceId.includes(id))
}
