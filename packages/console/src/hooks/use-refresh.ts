import { useEffect, useRef } from 'react'
import { type LiveEvent, useLiveEvents } from '../graphql/live-events.ts'

/**
 * Returns a function that fetches a query again after a change. While a fetch is in flight, urql ignores further
 * requests, and the result may be from before the change. In that case, the hook fetches the query once more after the
 * result has arrived.
 */
export function useRefresh(query: { fetching: boolean; stale: boolean }, refetch: () => void): () => void {
  const isFetching = query.fetching || query.stale
  const state = useRef({ isRequested: false, isOutdated: false })
  const run = (): void => {
    state.current = { isRequested: true, isOutdated: false }
    refetch()
  }
  // This effect runs after each render. After `refetch`, each render sees either a fetch in flight or its result.
  useEffect(() => {
    if (isFetching) return
    state.current.isRequested = false
    if (state.current.isOutdated) run()
  })
  return () => {
    if (isFetching || state.current.isRequested) state.current.isOutdated = true
    else run()
  }
}

/** Calls `refresh` after relevant live events, and after a gap in the live events. */
export function useLiveRefresh(refresh: () => void, isRelevant: (event: LiveEvent) => boolean): void {
  useLiveEvents({
    onEvents(events) {
      if (events.some(isRelevant)) refresh()
    },
    onGap: refresh,
  })
}
