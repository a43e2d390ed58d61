import { BadAnswerError, errorOf, type GraphQLProblem, NoAnswerError } from '../errors.ts'
import { attemptFromFailure } from '../transport/no-response.ts'
import { attemptFromResponse } from '../transport/response.ts'
import { type Operation, prepareRequest, type Transport } from '../transport/transport.ts'
import { readMessages } from './server-sent-events.ts'

/** Contains the error that ended a stream, whether the client may reconnect, and the `Retry-After` header, if any. */
export class StreamEnd extends Error {
  readonly error: Error
  readonly mayReconnect: boolean
  readonly retryAfter: string | null

  constructor(error: Error, mayReconnect: boolean, retryAfter: string | null = null) {
    super(error.message)
    this.error = error
    this.mayReconnect = mayReconnect
    this.retryAfter = retryAfter
  }
}

export interface SubscribeOptions {
  transport: Transport
  operation: Operation
  /** Timeout for opening the stream, in milliseconds. */
  timeout: number
  signal: AbortSignal | undefined
  /** Called when the server has accepted the subscription. */
  onConnect: () => void
}

/**
 * Yields the results of a subscription on one connection (GraphQL over SSE, distinct connections mode). Always ends
 * with an error: a StreamEnd, or the signal's reason after an abort.
 */
export async function* subscribeOnce(
  given: SubscribeOptions,
): AsyncGenerator<Record<string, unknown>, never, undefined> {
  const stop = new AbortController()
  try {
    const response = await open(given, stop)
    let isAccepted = false
    for await (const { event, data } of readMessages(response.body!)) {
      if (event === 'complete') break
      const result = event === 'next' ? readResult(data) : undefined
      // If the server rejects the subscription, the first message contains errors, and no comment precedes it.
      if (!isAccepted) given.onConnect()
      isAccepted = true
      if (result !== undefined) yield result
    }
    throw new StreamEnd(new NoAnswerError('NO_ANSWER', 'the event stream ended'), true)
  } catch (error) {
    // If the caller aborted, throw the reason for the abort instead, so that the client does not reconnect.
    given.signal?.throwIfAborted()
    if (error instanceof StreamEnd) throw error
    const message = `the event stream was interrupted: ${(error as Error).message}`
    throw new StreamEnd(new NoAnswerError('NO_ANSWER', message, { cause: error }), true)
  } finally {
    stop.abort()
  }
}

async function open(
  { transport, operation, timeout, signal }: SubscribeOptions,
  stop: AbortController,
): Promise<Response> {
  signal?.throwIfAborted()
  const endpoint = `${transport.endpoint}/stream`
  const request = await prepareRequest(transport, endpoint, operation, 'text/event-stream')
  const late = new DOMException('the operation timed out', 'TimeoutError')
  const timer = setTimeout(() => stop.abort(late), timeout)
  try {
    const signals = signal === undefined ? [stop.signal] : [signal, stop.signal]
    const response = await transport.fetch(endpoint, { ...request, signal: AbortSignal.any(signals) })
    if (response.ok && response.headers.get('content-type')?.startsWith('text/event-stream') && response.body !== null)
      return response
    throw await toStreamEnd(endpoint, response)
  } catch (error) {
    if (error instanceof StreamEnd) throw error
    signal?.throwIfAborted()
    const attempt = attemptFromFailure({ endpoint, effect: 'none', error, timeout })
    throw new StreamEnd(attempt.error!, attempt.outcome !== 'final')
  } finally {
    clearTimeout(timer)
  }
}

async function toStreamEnd(endpoint: string, response: Response): Promise<StreamEnd> {
  const attempt = attemptFromResponse({ endpoint, effect: 'none', response, text: await response.text() })
  const { outcome, retryAfter } = attempt
  if (attempt.error !== undefined) return new StreamEnd(attempt.error, outcome !== 'final', retryAfter)
  const { errors = [], ...details } = attempt.result
  const error =
    errors.length > 0
      ? errorOf(errors, details)
      : new BadAnswerError('BAD_ANSWER', `the response from ${endpoint} is not an event stream`, details)
  return new StreamEnd(error, outcome !== 'final', retryAfter)
}

function readResult(text: string): Record<string, unknown> {
  const { data, errors = [] } = JSON.parse(text) as { data?: Record<string, unknown> | null; errors?: GraphQLProblem[] }
  if (errors.length === 0 && data != null) return data
  const error = errorOf(errors, { data })
  throw new StreamEnd(error, error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED')
}
