import type { Api } from '@muster/fleet-csv/api'
import { CombinedError } from 'urql'
import { api } from '../../../app/paths.ts'
import { sessionHeaders } from '../../../graphql/session-headers.ts'
import { signedOut } from '../../../graphql/signed-out.ts'
import { pause, retryDelay } from './retry-delay.ts'

/** An error as the console's own client throws it, with the API's code, and its message as the server wrote it. */
export class ApiError extends CombinedError {
  readonly code: string

  constructor(code: string, given: ConstructorParameters<typeof CombinedError>[0]) {
    super(given)
    this.code = code
    this.message = this.graphQLErrors[0]?.message ?? 'the server does not answer'
  }
}

const TRIES = 7
/**
 * Milliseconds for which a request is sent again that the rate limit refuses: many that go out together take points
 * from each other.
 */
const RATE_LIMIT_PATIENCE = 300_000

/**
 * Runs documents as the person who is signed in: for work of many requests, which is tried again and leaves the cache
 * alone.
 */
export const sessionApi: Api = {
  async query<Data>(document: string, variables: object = {}, { signal }: { signal?: AbortSignal | undefined } = {}) {
    const isMutation = document.startsWith('mutation')
    const body = JSON.stringify({ query: document, variables })
    const patienceEnds = performance.now() + RATE_LIMIT_PATIENCE
    let failures = 0
    for (let count = 1; ; count++) {
      const attempt = await send(body, signal)
      if (attempt.error === undefined) return attempt.answer as Data
      const { error, isSafeToRepeat, retryAfter } = attempt
      const mayRepeat = isSafeToRepeat || (!isMutation && error.networkError !== undefined)
      const isInTime = error.code === 'RATE_LIMITED' ? performance.now() < patienceEnds : ++failures < TRIES
      if (!mayRepeat || !isInTime) throw told(error, isMutation)
      await pause(retryDelay(count, retryAfter), signal)
    }
  },
}

/** What went wrong, with whether a mutation may have run. */
function told(error: ApiError, isMutation: boolean): ApiError {
  if (error.code === 'UNAUTHENTICATED') signedOut.announce()
  return isMutation && error.code === 'NO_ANSWER'
    ? new ApiError('OUTCOME_UNKNOWN', { networkError: error.networkError })
    : error
}

type Attempt =
  | { answer: unknown; error?: undefined }
  /** `isSafeToRepeat`: it certainly did not run. */
  | { error: ApiError; isSafeToRepeat: boolean; retryAfter: string | null }

async function send(body: string, signal: AbortSignal | undefined): Promise<Attempt> {
  try {
    const headers = { ...sessionHeaders, 'content-type': 'application/json', accept: 'application/json' }
    const response = await fetch(api.graphql, { method: 'POST', headers, body, signal: signal ?? null })
    const answer = (await response.json()) as { data?: unknown; errors?: GraphQLProblem[] }
    const [first] = answer.errors ?? []
    if (first === undefined && 'data' in answer) return { answer: answer.data }
    const error = new ApiError(first?.extensions?.code ?? 'UNKNOWN', { graphQLErrors: answer.errors ?? [] })
    const isSafeToRepeat = response.status === 429 || (response.status === 503 && !('data' in answer))
    return { error, isSafeToRepeat, retryAfter: response.headers.get('retry-after') }
  } catch (failure) {
    signal?.throwIfAborted()
    const networkError = failure instanceof Error ? failure : new Error(String(failure))
    return { error: new ApiError('NO_ANSWER', { networkError }), isSafeToRepeat: false, retryAfter: null }
  }
}

interface GraphQLProblem {
  message: string
  extensions?: { code?: string }
}
