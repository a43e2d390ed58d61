const FIRST_DELAY_MS = 200
const MAX_DELAY_MS = 10_000
/** The client does not retry if the server requests a longer delay. */
const MAX_RETRY_AFTER_MS = 60_000

/**
 * How long the client retries a rate-limited operation. The number of these retries has no limit, because concurrent
 * operations compete for the quota.
 */
export const RATE_LIMIT_RETRY_MS = 300_000

/**
 * Returns the delay before the next attempt, in milliseconds, or undefined if the server requests a delay above
 * `MAX_RETRY_AFTER_MS`. The delay doubles with each attempt, up to 10 seconds, and is then reduced at random by up to
 * half. It is at least the delay in `Retry-After` (RFC 9110 §10.2.3, seconds or a date).
 */
export function retryDelay(attempt: number, retryAfter: string | null, now = Date.now()): number | undefined {
  const requested = retryAfter === null ? undefined : parseRetryAfter(retryAfter, now)
  if (requested !== undefined && requested > MAX_RETRY_AFTER_MS) return undefined
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS) * (0.5 + Math.random() / 2)
  return Math.max(requested ?? 0, backoff)
}

function parseRetryAfter(text: string, now: number): number | undefined {
  if (/^\d+$/.test(text.trim())) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Resolves after the given time. Rejects with the signal's reason if the signal aborts. */
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
