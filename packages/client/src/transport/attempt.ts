import type { Effect } from '../documents/operation.ts'
import {
  BadAnswerError,
  type GraphQLProblem,
  type MusterError,
  NoAnswerError,
  OutcomeUnknownError,
  UnreachableError,
} from '../errors.ts'
import { isRefusedCertificate, isUnreachable } from './unreachable.ts'

/** What a GraphQL server answers, with its HTTP status and its id of the request. */
export interface Answer {
  status: number
  requestId?: string
  data?: unknown
  errors?: GraphQLProblem[]
  extensions?: unknown
}

/** How a try went. */
export type Attempt = {
  /** `refused`: it certainly did not run, and may another time. `unknown`: it may have run. `final`: asking again changes nothing. */
  outcome: 'refused' | 'unknown' | 'final'
  retryAfter: string | null
  /** HTTP status 429: it is refused for what was asked for before it. */
  isRateLimited: boolean
} & ({ answer: Answer; error?: undefined } | { error: MusterError })

interface Answered {
  endpoint: string
  effect: Effect
  response: Response
  text: string
}

export function judgeAnswer({ endpoint, effect, response, text }: Answered): Attempt {
  const { status, headers } = response
  const retryAfter = headers.get('retry-after')
  const requestId = headers.get('x-request-id') ?? undefined
  const answer = parseAnswer(text, { status, requestId })
  const outcome = outcomeOf(status, answer)
  const isRateLimited = status === 429
  if (answer !== undefined) return { outcome, retryAfter, isRateLimited, answer }
  const found = headers.get('content-type') ?? 'no content type'
  const details = { status, requestId }
  const error =
    outcome === 'unknown' && effect !== 'none'
      ? new OutcomeUnknownError(
          'OUTCOME_UNKNOWN',
          `${endpoint} answered HTTP ${status}: the mutation may have run`,
          details,
        )
      : new BadAnswerError('BAD_ANSWER', `${endpoint} is not Muster's API: HTTP ${status}, ${found}`, details)
  return { outcome, retryAfter, isRateLimited, error }
}

/**
 * The API answers 503 without `data` before anything runs, and with it where the database was lost on the way. What is not
 * the API, a proxy that waited or gave up, cannot know.
 */
function outcomeOf(status: number, answer: Answer | undefined): Attempt['outcome'] {
  if (status === 429 || isStillRunning(answer)) return 'refused'
  if (status === 503 && answer !== undefined && !('data' in answer)) return 'refused'
  return status === 502 || status === 503 || status === 504 || (status >= 500 && answer === undefined)
    ? 'unknown'
    : 'final'
}

/** An earlier try of this call has not finished: the next one gets its response. */
const isStillRunning = (answer: Answer | undefined): boolean =>
  answer?.errors?.[0]?.extensions?.reason === 'still-running'

interface Failed {
  endpoint: string
  effect: Effect
  error: unknown
  timeout: number
}

/** There was no answer. */
export function judgeFailure({ endpoint, effect, error, timeout }: Failed): Attempt {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const told =
    cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code ?? cause.name) : String(cause)
  if (isRefusedCertificate(cause) || isUnreachable(cause)) {
    const unreachable = new UnreachableError('UNREACHABLE', `cannot reach ${endpoint}: ${told}`, { cause: error })
    const outcome = isRefusedCertificate(cause) ? 'final' : 'refused'
    return { outcome, retryAfter: null, isRateLimited: false, error: unreachable }
  }
  const timedOut = error instanceof Error && error.name === 'TimeoutError'
  const message = `no answer from ${endpoint}: ${timedOut ? `none within ${timeout / 1_000} s` : told}`
  const noAnswer =
    effect === 'none'
      ? new NoAnswerError('NO_ANSWER', message, { cause: error })
      : new OutcomeUnknownError('OUTCOME_UNKNOWN', `${message}; the mutation may have run`, { cause: error })
  return { outcome: 'unknown', retryAfter: null, isRateLimited: false, error: noAnswer }
}

function parseAnswer(
  text: string,
  { status, requestId }: Pick<Answer, 'status'> & { requestId: string | undefined },
): Answer | undefined {
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
