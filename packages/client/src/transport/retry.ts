const FIRST_DELAY = 200
const LONGEST_DELAY = 10_000
/** Milliseconds: a server that asks for more than this gets no further try. */
const LONGEST_RETRY_AFTER = 60_000

/**
 * Milliseconds to wait before the next try, or undefined where the server asks for longer than is worth waiting.
 * `Retry-After` (RFC 9110 §10.2.3) counts, in seconds or as a date; else the delay doubles from try to try, with jitter.
 */
export function retryDelay(attempt: number, retryAfter: string | null, now = Date.now()): number | undefined {
  const asked = retryAfter === null ? undefined : parseRetryAfter(retryAfter, now)
  if (asked !== undefined && asked > LONGEST_RETRY_AFTER) return undefined
  const backoff = Math.min(FIRST_DELAY * 2 ** attempt, LONGEST_DELAY) * (0.5 + Math.random() / 2)
  return Math.max(asked ?? 0, backoff)
}

function parseRetryAfter(text: string, now: number): number | undefined {
  if (/^\d+$/.test(text.trim())) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Waits; a signal that aborts ends the wait with its reason. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
