import type { Effect } from '../documents/effect-of-document.ts'
import { UnreachableError } from '../errors.ts'
import { pause, RATE_LIMIT_RETRY_MS, retryDelay } from '../retry-delay.ts'
import type { CallOptions } from '../types.ts'
import { attemptFromFailure } from './no-response.ts'
import { type Attempt, attemptFromResponse, type GraphQLResponse } from './response.ts'
import { effectOfCall, type Operation, prepareRequest, type Transport } from './transport.ts'

/**
 * Sends an operation. Retries it up to `retries` times if it did not run, or if its outcome is unknown and running it
 * twice is safe. Unless `retries` is 0, retries a rate-limited operation until `RATE_LIMIT_RETRY_MS` have passed. Stops
 * early if the server requests a long delay (`retryDelay`). Returns the response of the last attempt, or throws its
 * error. An earlier attempt may have run a mutation that the last attempt did not run. If so, returns or throws the
 * outcome of the earlier attempt instead.
 */
export async function sendWithRetries(
  transport: Transport,
  operation: Operation,
  options: CallOptions,
): Promise<GraphQLResponse> {
  const effect = effectOfCall(operation, options)
  const headers = idempotencyHeader(effect, options)
  const { retries = transport.retries } = options
  const rateLimitDeadline = performance.now() + (retries > 0 ? RATE_LIMIT_RETRY_MS : 0)
  let failures = 0
  /** The last attempt that may have run the mutation. A later attempt may have been rejected. */
  let unknown: Attempt | undefined
  for (let count = 0; ; count++) {
    const attempt = await attemptOnce(transport, { ...operation, headers }, options, effect)
    if (attempt.outcome === 'unknown' && effect !== 'none') unknown = attempt
    const hasRetriesLeft = attempt.isRateLimited ? performance.now() < rateLimitDeadline : failures++ < retries
    const delay = mayRetry(attempt, effect) && hasRetriesLeft ? retryDelay(count, attempt.retryAfter) : undefined
    if (delay === undefined) {
      const { error, result } = hasNotRun(attempt) ? (unknown ?? attempt) : attempt
      if (error !== undefined) throw error
      return result
    }
    await pause(delay, options.signal)
  }
}

const hasNotRun = ({ outcome, error }: Attempt): boolean => outcome === 'rejected' || error instanceof UnreachableError

/**
 * Returns the Idempotency-Key header, if any. All attempts of a call send the same key, so that the server runs the
 * call once.
 */
function idempotencyHeader(effect: Effect, { idempotencyKey }: CallOptions): Record<string, string> {
  const key = idempotencyKey ?? (effect === 'creates' ? crypto.randomUUID() : undefined)
  if (key === undefined) return {}
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    throw new TypeError('idempotencyKey must consist of 1 to 255 printable ASCII characters')
  return { 'Idempotency-Key': `"${key.replace(/["\\]/g, '\\$&')}"` }
}

async function attemptOnce(
  transport: Transport,
  operation: Operation,
  options: CallOptions,
  effect: Effect,
): Promise<Attempt> {
  const { endpoint } = transport
  const { signal, timeout = transport.timeout } = options
  signal?.throwIfAborted()
  const request = await prepareRequest(transport, endpoint, operation)
  const timer = AbortSignal.timeout(timeout)
  try {
    const response = await transport.fetch(endpoint, {
      ...request,
      signal: signal === undefined ? timer : AbortSignal.any([signal, timer]),
    })
    return attemptFromResponse({ endpoint, effect, response, text: await response.text() })
  } catch (error) {
    // Throw the abort reason if the caller aborted, because the attempt did not fail.
    signal?.throwIfAborted()
    return attemptFromFailure({ endpoint, effect, error, timeout })
  }
}

/**
 * Returns whether the client may retry: the operation did not run, or its outcome is unknown and running it twice is
 * safe.
 */
const mayRetry = ({ outcome }: Attempt, effect: Effect): boolean =>
  outcome === 'rejected' || (outcome === 'unknown' && effect !== 'once')
