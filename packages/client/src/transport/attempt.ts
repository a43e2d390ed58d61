import type { Effect } from '../documents/effect-of-document.ts'
import {
  BadAnswerError,
  type GraphQLProblem,
  type MusterError,
  NoAnswerError,
  OutcomeUnknownError,
  UnreachableError,
} from '../errors.ts'
import { isCertificateRejected, isUnreachable } from './unreachable.ts'

/** A GraphQL response with the HTTP status and the request ID. */
export interface GraphQLResponse {
  status: number
  requestId?: string
  data?: unknown
  errors?: GraphQLProblem[]
  extensions?: unknown
}

export type Attempt = {
  /**
   * `rejected`: the attempt did not run the operation, and a retry may succeed. `unknown`: the operation may have run.
   * `final`: the operation succeeded, or it failed with an error that the client does not retry.
   */
  outcome: 'rejected' | 'unknown' | 'final'
  retryAfter: string | null
  /** Whether the HTTP status is 429. */
  isRateLimited: boolean
} & ({ result: GraphQLResponse; error?: undefined } | { result?: undefined; error: MusterError })

interface ReceivedResponse {
  endpoint: string
  effect: Effect
  response: Response
  text: string
}

export function attemptFromResponse({ endpoint, effect, response, text }: ReceivedResponse): Attempt {
  const { status, headers } = response
  const retryAfter = headers.get('retry-after')
  const requestId = headers.get('x-request-id') ?? undefined
  const result = parseResponse(text, { status, requestId })
  const outcome = outcomeOf(status, result)
  const isRateLimited = status === 429
  if (result !== undefined) return { outcome, retryAfter, isRateLimited, result }
  const found = headers.get('content-type') ?? 'no content type'
  const details = { status, requestId }
  const error =
    outcome === 'unknown' && effect !== 'none'
      ? new OutcomeUnknownError(
          'OUTCOME_UNKNOWN',
          `${endpoint} responded with HTTP ${status}; the mutation may have run`,
          details,
        )
      : new BadAnswerError(
          'BAD_ANSWER',
          `the response from ${endpoint} is not from Muster's API (HTTP ${status}, ${found}); check the URL and any proxy`,
          details,
        )
  return { outcome, retryAfter, isRateLimited, error }
}

/**
 * Classifies a response. A 503 response of the API has no `data` if the operation did not run. It has `data` if the
 * operation failed because the database was unavailable, for example because the connection was lost. A proxy's 503
 * response does not indicate whether the operation ran.
 */
function outcomeOf(status: number, result: GraphQLResponse | undefined): Attempt['outcome'] {
  if (status === 429 || isStillRunning(result)) return 'rejected'
  if (status === 503 && result !== undefined && !('data' in result)) return 'rejected'
  return status === 502 || status === 503 || status === 504 || (status >= 500 && result === undefined)
    ? 'unknown'
    : 'final'
}

/** Returns whether an earlier attempt of this call is still running. A later attempt receives the call's response. */
const isStillRunning = (result: GraphQLResponse | undefined): boolean =>
  result?.errors?.[0]?.extensions?.reason === 'still-running'

interface FailedRequest {
  endpoint: string
  effect: Effect
  error: unknown
  timeout: number
}

/** Returns the attempt for a request that received no complete response. */
export function attemptFromFailure({ endpoint, effect, error, timeout }: FailedRequest): Attempt {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const reason =
    cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code ?? cause.name) : String(cause)
  if (isCertificateRejected(cause) || isUnreachable(cause)) {
    const unreachable = new UnreachableError('UNREACHABLE', `cannot reach ${endpoint}: ${reason}`, { cause: error })
    const outcome = isCertificateRejected(cause) ? 'final' : 'rejected'
    return { outcome, retryAfter: null, isRateLimited: false, error: unreachable }
  }
  const timedOut = error instanceof Error && error.name === 'TimeoutError'
  const message = `no response from ${endpoint}${timedOut ? ` within ${timeout / 1_000} s` : `: ${reason}`}`
  const noResponse =
    effect === 'none'
      ? new NoAnswerError('NO_ANSWER', message, { cause: error })
      : new OutcomeUnknownError('OUTCOME_UNKNOWN', `${message}; the mutation may have run`, { cause: error })
  return { outcome: 'unknown', retryAfter: null, isRateLimited: false, error: noResponse }
}

function parseResponse(
  text: string,
  { status, requestId }: Pick<GraphQLResponse, 'status'> & { requestId: string | undefined },
): GraphQLResponse | undefined {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof body !== 'object' || body === null) return undefined
  const { data, errors, extensions } = body as { data?: unknown; errors?: unknown; extensions?: unknown }
  if (data === undefined && !Array.isArray(errors)) return undefined
  return {
    status,
    ...(requestId === undefined ? {} : { requestId }),
    ...(data === undefined ? {} : { data }),
    ...(Array.isArray(errors) ? { errors: errors as GraphQLProblem[] } : {}),
    ...(extensions === undefined ? {} : { extensions }),
  }
}
