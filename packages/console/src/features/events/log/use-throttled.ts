import { useEffect, useRef } from 'react'

/**
 * Returns a function that runs the latest `action` immediately. If the last run was less than `intervalMs` ago, the
 * function instead runs `action` at the end of that interval.
 */
export function useThrottled(intervalMs: number, action: () => unknown): () => void {
  const latest = useRef(action)
  latest.current = action
  const state = useRef<{ ran: number; timer: ReturnType<typeof setTimeout> | undefined }>({
    ran: Number.NEGATIVE_INFINITY,
    timer: undefined,
  })
  useEffect(() => () => clearTimeout(state.current.timer), [])
  return () => {
    if (state.current.timer !== undefined) return
    const run = (): void => {
      state.current = { ran: performance.now(), timer: undefined }
      latest.current()
    }
    const wait = state.current.ran + intervalMs - performance.now()
    if (wait <= 0) run()
    else state.current.timer = setTimeout(run, wait)
  }
}
