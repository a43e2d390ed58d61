import type { Effect } from '../documents/effect-of-document.ts'
import { NoAnswerError, OutcomeUnknownError, UnreachableError } from '../errors.ts'
import type { Attempt } from './response.ts'

/** Node.js and Bun error codes for connections that could not be established. Browsers do not report such codes. */
const unreachable: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
  'FailedToOpenSocket',
])

/** Node.js error codes for an invalid server certificate. A retry would also fail. */
const certificateErrors: ReadonlySet<unknown> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code

/**
 * Returns whether the error shows that no connection was established. Recognizes Deno's errors by their messages,
 * because Deno's errors have no codes.
 */
const isUnreachable = (error: unknown): boolean =>
  unreachable.has(codeOf(error)) || (error instanceof Error && error.message.includes('client error (Connect)'))

const isCertificateRejected = (error: unknown): boolean => certificateErrors.has(codeOf(error))

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
  const message = `no complete response from ${endpoint}${timedOut ? ` within ${timeout / 1_000} s` : `: ${reason}`}`
  const noResponse =
    effect === 'none'
      ? new NoAnswerError('NO_ANSWER', message, { cause: error })
      : new OutcomeUnknownError(
          'OUTCOME_UNKNOWN',
          `${message}; the mutation may have run: check before you repeat it`,
          { cause: error },
        )
  return { outcome: 'unknown', retryAfter: null, isRateLimited: false, error: noResponse }
}
