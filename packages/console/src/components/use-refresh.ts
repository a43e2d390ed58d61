import { useEffect, useRef } from 'react'

/**
 * Asks a query again after a change. While an answer is on its way, the client drops what is asked, and that answer may be
 * from before the change: then it is asked once more when the answer is there.
 */
export function useRefresh(query: { fetching: boolean; stale: boolean }, ask: () => void): () => void {
  const isAsking = query.fetching || query.stale
  const state = useRef({ isAsked: false, again: false })
  const run = (): void => {
    state.current = { isAsked: true, again: false }
    ask()
  }
  // Every rendering after `ask` sees that it is being asked, or the answer.
  useEffect(() => {
    if (isAsking) return
    state.current.isAsked = false
    if (state.current.again) run()
  })
  return () => {
    if (isAsking || state.current.isAsked) state.current.again = true
    else run()
  }
}
