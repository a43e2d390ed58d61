import type { Effect } from '../documents/effect-of-document.ts'
import {
  BadAnswerError,
  errorOf,
  type GraphQLProblem,
  type MusterError,
  OutcomeUnknownError,
  UnavailableError,
} from '../errors.ts'
import type { CallOptions } from '../types.ts'
import { effectOfCall, type Operation } from './transport.ts'

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

export function attemptFromResponse(received: ReceivedResponse): Attempt {
  const { status, headers } = received.response
  const retryAfter = headers.get('retry-after')
  const requestId = headers.get('x-request-id') ?? undefined
  const result = parseResponse(received.text, { status, requestId })
  const outcome = outcomeOf(status, result)
  const isRateLimited = status === 429
  if (result !== undefined) return { outcome, retryAfter, isRateLimited, result }
  return { outcome, retryAfter, isRateLimited, error: errorOfOther(received, outcome, { status, requestId }) }
}

/** Returns the error for a response that is not from the API, such as a proxy's error page. */
function errorOfOther(
  { endpoint, effect, response }: ReceivedResponse,
  outcome: Attempt['outcome'],
  details: { status: number; requestId: string | undefined },
): MusterError {
  const found = response.headers.get('content-type') ?? 'no content type'
  const responded = `${endpoint} responded with HTTP ${details.status}`
  if (outcome !== 'unknown')
    return new BadAnswerError(
      'BAD_ANSWER',
      `the response from ${endpoint} is not from Muster's API (HTTP ${details.status}, ${found}); check the URL and any proxy`,
      details,
    )
  if (effect === 'none')
    return new UnavailableError('UNAVAILABLE', `${responded}; the server is probably unavailable`, details)
  return new OutcomeUnknownError(
    'OUTCOME_UNKNOWN',
    `${responded}; the mutation may have run: check before you repeat it`,
    details,
  )
}

/**
 * Classifies a response. A 503 response from the API has no `data` if the operation did not run. It has `data` if the
 * operation failed with `UNAVAILABLE`, for example because the database connection was lost. A proxy's 503 response
 * does not indicate whether the operation ran.
 */
function outcomeOf(status: number, result: GraphQLResponse | undefined): Attempt['outcome'] {
  if (status === 429 || isStillRunning(result)) return 'rejected'
  if (status === 503 && result !== undefined && !('data' in result)) return 'rejected'
  return status === 502 || status === 503 || status === 504 || (status >= 500 && result === undefined)
    ? 'unknown'
    : 'final'
}

/** Returns whether an earlier request with the same Idempotency-Key is still running. A later retry may succeed. */
const isStillRunning = (result: GraphQLResponse | undefined): boolean =>
  result?.errors?.[0]?.extensions?.reason === 'still-running'

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

/**
 * Returns the `data` of a response, or throws its error. For a mutation, throws OutcomeUnknownError instead in two
 * cases:
 *
 * - The status does not indicate whether the operation ran (`outcomeOf`).
 * - The error is `UNAVAILABLE` and the response has `data`, so the operation had begun. This case excludes errors with
 *   the outcome `done`. With this outcome, the mutation made its change, and only reading the result failed.
 */
export function dataOf(response: GraphQLResponse, operation: Operation, options: CallOptions): unknown {
  const { errors = [], ...details } = response
  if (errors.length === 0) return response.data
  const error = errorOf(errors, details)
  const lost = errors.find(({ extensions }) => extensions?.code === 'UNAVAILABLE' && extensions.outcome !== 'done')
  const mayHaveRun = outcomeOf(response.status, response) === 'unknown' || (lost !== undefined && 'data' in response)
  if (!mayHaveRun || effectOfCall(operation, options) === 'none') throw error
  throw new OutcomeUnknownError(
    'OUTCOME_UNKNOWN',
    `the mutation may have run: check before you repeat it; the server reported: ${(lost ?? error).message}`,
    { ...details, errors, cause: error },
  )
}
