const FIRST_MS = 250
const LONGEST_MS = 10_000

/** Milliseconds before the next try: what the server asks for, and each time longer than before. */
export function retryDelay(count: number, retryAfter: string | null): number {
  const asked = Number(retryAfter ?? 0) * 1000 || 0
  return Math.max(asked, Math.min(LONGEST_MS, FIRST_MS * 2 ** (count - 1)) * (0.5 + Math.random() / 2))
}

/** Waits; a signal that aborts ends the wait with its reason. */
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
