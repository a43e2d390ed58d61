const FIRST_MS = 250
const MAX_MS = 10_000

/**
 * Returns a delay in milliseconds, with jitter. The delay grows exponentially to at most ten seconds, but is never
 * shorter than the server's Retry-After.
 */
export function retryDelay(count: number, retryAfter: string | null): number {
  const requested = Number(retryAfter ?? 0) * 1000 || 0
  return Math.max(requested, Math.min(MAX_MS, FIRST_MS * 2 ** (count - 1)) * (0.5 + Math.random() / 2))
}

/** Resolves after the given time. Rejects with the signal's reason if the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  signal?.addEventListener(
    'abort',
    () => {
      clearTimeout(timer)
      reject(signal.reason)
    },
    { once: true },
  )
  if (signal?.aborted) reject(signal.reason)
  return promise
}
