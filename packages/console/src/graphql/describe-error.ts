import { CombinedError } from 'urql'

/** An error as a person reads it. */
export interface ErrorDescription {
  /** What happened. */
  what: string
  /** What to do about it; undefined where `what` says it already. */
  advice?: string
  /** The API's code; undefined when no answer of the API was received. */
  code?: string
  /** Finds the fault in the server's log. */
  requestId?: string
}

const away: ErrorDescription = {
  what: 'The server does not answer.',
  advice: 'Check that it runs and that this computer reaches it, then try again.',
}

const advice: Record<string, string> = {
  UNAUTHENTICATED: 'Sign in again.',
  RATE_LIMITED: 'Wait a moment, then try again.',
  UNAVAILABLE: 'Try again in a moment. Nothing is lost.',
  INTERNAL: 'Try again. If it stays, whoever runs the server finds the fault in its log under the request id.',
  QUERY_TOO_COMPLEX: 'Ask for less at once: fewer columns or a smaller page.',
}

/** The one place that turns what was thrown or answered into words. The server's messages are shown as they are. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof CombinedError) return describeAnswer(error)
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) return away
  if (error instanceof Error) return { what: sentence(error.message) }
  return { what: String(error) }
}

/** One line, for notifications and cells. */
export function errorText(error: unknown): string {
  const { what, advice } = describeError(error)
  return advice === undefined ? what : `${what} ${advice}`
}

/** Codes of all errors in an answer: `CONFLICT`, `RESERVED_ATTRIBUTE` … */
export function errorCode(error: unknown): string | undefined {
  return describeError(error).code
}

/** What `extensions.reason` of the first error says. */
export function errorReason(error: unknown): string | undefined {
  const reason = error instanceof CombinedError ? error.graphQLErrors[0]?.extensions.reason : undefined
  return typeof reason === 'string' ? reason : undefined
}

export const isSignedOut = (error: CombinedError): boolean =>
  error.graphQLErrors.some(({ extensions }) => extensions.code === 'UNAUTHENTICATED')

function describeAnswer({ graphQLErrors, networkError }: CombinedError): ErrorDescription {
  const first = graphQLErrors[0]
  if (first === undefined) return networkError instanceof SyntaxError ? notTheApi : away
  const code = typeof first.extensions.code === 'string' ? first.extensions.code : undefined
  const requestId = typeof first.extensions.requestId === 'string' ? first.extensions.requestId : undefined
  return {
    what: sentence(first.message),
    ...(code === undefined ? {} : { code, ...(code in advice ? { advice: advice[code] } : {}) }),
    ...(requestId === undefined ? {} : { requestId }),
  }
}

const notTheApi: ErrorDescription = {
  what: 'Something other than the API answered.',
  advice: 'A proxy in front of the server may be misconfigured, or the server is being restarted.',
}

/** The API writes its messages small and without a full stop; names of arguments keep their spelling. */
function sentence(message: string): string {
  const text = /^[a-z]+[ ,]/.test(message) ? message.charAt(0).toUpperCase() + message.slice(1) : message
  return /[.!?]$/.test(text) ? text : `${text}.`
}
