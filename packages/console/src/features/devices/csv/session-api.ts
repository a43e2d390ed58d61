import { pause, RATE_LIMIT_RETRY_MS, retryDelay } from '@muster/client/retry-delay'
import type { Api } from '@muster/fleet-csv/api'
import { CombinedError } from '@urql/core'
import { api } from '../../../app/paths.ts'
import { apiHeaders } from '../../../graphql/session-headers.ts'
import { signedOut } from '../../../graphql/signed-out.ts'

/** An error in the form that the console's GraphQL client uses, so that `describeError` can describe it. */
class ApiError extends CombinedError {
  readonly code: string

  constructor(code: string, given: ConstructorParameters<typeof CombinedError>[0]) {
    super(given)
    this.code = code
    this.message = this.graphQLErrors[0]?.message ?? 'the server is not responding'
  }
}

const MAX_FAILURES = 7
const OUTCOME_UNKNOWN =
  'the server sent no valid response, so the change may or may not have been made. Before you repeat it, check whether it was made'

/** Sends GraphQL documents with the user's session. Retries requests if a retry is safe, and bypasses the cache. */
export const sessionApi: Api = {
  async query<Data>(document: string, variables: object = {}, { signal }: { signal?: AbortSignal | undefined } = {}) {
    const isMutation = document.startsWith('mutation')
    const body = JSON.stringify({ query: document, variables })
    const retryUntil = performance.now() + RATE_LIMIT_RETRY_MS
    let failures = 0
    for (let count = 0; ; count++) {
      const attempt = await send(body, signal)
      if (attempt.error === undefined) return attempt.data as Data
      const { error, isSafeToRepeat, retryAfter } = attempt
      const mayRepeat = isSafeToRepeat || (!isMutation && error.networkError !== undefined)
      const isInTime = error.code === 'RATE_LIMITED' ? performance.now() < retryUntil : ++failures < MAX_FAILURES
      const delay = mayRepeat && isInTime ? retryDelay(count, retryAfter) : undefined
      if (delay === undefined) throw withOutcome(error, isMutation)
      await pause(delay, signal)
    }
  },
}

function withOutcome(error: ApiError, isMutation: boolean): ApiError {
  if (error.code === 'UNAUTHENTICATED') signedOut.announce()
  return isMutation && error.code === 'NO_ANSWER'
    ? new ApiError('OUTCOME_UNKNOWN', { graphQLErrors: [{ message: OUTCOME_UNKNOWN }] })
    : error
}

type Attempt =
  | { data: unknown; error?: undefined }
  /** `isSafeToRepeat` is true only if the server certainly did not run the request. */
  | { error: ApiError; isSafeToRepeat: boolean; retryAfter: string | null }

async function send(requestBody: string, signal: AbortSignal | undefined): Promise<Attempt> {
  try {
    const headers = { ...apiHeaders, 'content-type': 'application/json', accept: 'application/json' }
    const response = await fetch(api.graphql, { method: 'POST', headers, body: requestBody, signal: signal ?? null })
    const isOverloaded = response.status === 429 || response.status === 503
    const body: Body = await response.json().catch((failure: unknown) => {
      // A proxy may respond with an HTML page instead of JSON.
      if (isOverloaded) return {}
      throw failure
    })
    const [first] = body.errors ?? []
    if (first === undefined && 'data' in body) return { data: body.data }
    const code = first?.extensions?.code ?? (isOverloaded ? 'UNAVAILABLE' : 'UNKNOWN')
    const error = new ApiError(code, { graphQLErrors: body.errors ?? [] })
    const isSafeToRepeat = response.status === 429 || (response.status === 503 && !('data' in body))
    return { error, isSafeToRepeat, retryAfter: response.headers.get('retry-after') }
  } catch (failure) {
    signal?.throwIfAborted()
    const networkError = failure instanceof Error ? failure : new Error(String(failure))
    return { error: new ApiError('NO_ANSWER', { networkError }), isSafeToRepeat: false, retryAfter: null }
  }
}

interface Body {
  data?: unknown
  errors?: GraphQLProblem[]
}

interface GraphQLProblem {
  message: string
  extensions?: { code?: string }
}
