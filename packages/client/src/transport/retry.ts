const FIRST_DELAY = 200
const LONGEST_DELAY = 10_000
/** The longest delay in milliseconds. If the server asks for more, there is no retry. */
const LONGEST_RETRY_AFTER = 60_000

/**
 * Milliseconds to wait before the next attempt, or undefined if the server asks for a longer delay than the limit. Uses
 * `Retry-After` (RFC 9110 §10.2.3, seconds or a date). Otherwise the delay doubles with each attempt, with jitter.
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

/** Waits. Rejects with the signal's reason if it aborts. */
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
