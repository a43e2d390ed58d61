import { useEffect } from 'react'

/** Refetches a query at an interval while the window is visible. An undefined interval turns off polling. */
export function usePolling(
  refetch: (options: { requestPolicy: 'network-only' }) => void,
  intervalMs: number | undefined,
): void {
  useEffect(() => {
    if (intervalMs === undefined) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refetch({ requestPolicy: 'network-only' })
    }, intervalMs)
    return () => clearInterval(timer)
  }, [refetch, intervalMs])
}
