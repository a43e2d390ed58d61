export interface GraphQLProblem {
  message: string
  path?: (string | number)[]
  extensions?: { code?: string; [name: string]: unknown }
}

export interface ErrorDetails {
  /** HTTP status of the response. Undefined if the client received no response. */
  status?: number | undefined
  requestId?: string | undefined
  errors?: readonly GraphQLProblem[] | undefined
  /** The response's `data`, if any. */
  data?: unknown
  cause?: unknown
}

/**
 * The base class of all API errors and connection errors. `code` is the API's error code (such as `NOT_FOUND`) or a
 * code that the client sets (such as `UNREACHABLE` or `BAD_ANSWER`). If an API error has no code, `code` is `UNKNOWN`.
 */
export class MusterError extends Error {
  readonly code: string
  /** HTTP status of the response. Undefined if the client received no response. */
  readonly status: number | undefined
  /** Identifies the request in the server log. */
  readonly requestId: string | undefined
  /** Path of the first error's field in the response. */
  readonly path: readonly (string | number)[] | undefined
  /** Reason code of the first error, such as `clock-skew`. Undefined if the error has no reason code. */
  readonly reason: string | undefined
  readonly errors: readonly GraphQLProblem[]
  /** The response's `data`, if any. */
  readonly data: unknown

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    const { errors = [] } = details
    const reason = errors[0]?.extensions?.reason
    this.name = nameOfClass(new.target)
    this.code = code
    this.status = details.status
    this.requestId = details.requestId
    this.path = errors[0]?.path
    this.reason = typeof reason === 'string' ? reason : undefined
    this.errors = errors
    this.data = details.data
  }
}

/** The credentials are missing or invalid. `reason` is the reason code, such as `clock-skew`. */
export class UnauthenticatedError extends MusterError {}
/** The credentials are valid but do not allow the operation, such as a mutation with a read-only key. */
export class ForbiddenError extends MusterError {}
/** The document, a variable, an argument, or another part of the request is invalid. The message says which part. */
export class BadUserInputError extends MusterError {}
/** The attribute name is reserved, or is not allowed on this kind of target or in a context. */
export class ReservedAttributeError extends MusterError {}
/** The account does not contain the object, the caller cannot access it, or the URL is unknown. */
export class NotFoundError extends MusterError {}
/**
 * The operation conflicts with existing data. For example, the hardware ID is already in use, a value has the name of
 * an attribute group, or the device to delete is active.
 */
export class ConflictError extends MusterError {}
/**
 * The request exceeds a limit, such as the limit on the size of a response, on the number of webhooks in the account,
 * or on the duration of a query. The message describes the limit.
 */
export class LimitExceededError extends MusterError {}
/** The document exceeds a limit, such as the limit on depth, aliases, tokens, or objects. */
export class QueryTooComplexError extends MusterError {}
/** The server does not store documents. Send the document instead of its hash. */
export class PersistedQueryNotFoundError extends MusterError {}
/**
 * The operation was rate limited, and the client does not retry it. For example, the client has already retried for 5
 * minutes, the server requested a delay of more than 1 minute, or `retries` is 0.
 */
export class RateLimitedError extends MusterError {}
/**
 * The server could not process the request, even after retries. For example, the server was overloaded, its database
 * was unavailable, or a proxy could not reach the server. The message describes the cause.
 */
export class UnavailableError extends MusterError {}
/** The server failed. To find the error in the server log, search for `requestId`. */
export class InternalError extends MusterError {}
/** Code `UNREACHABLE`: the client could not connect, or the certificate is invalid. The operation did not run. */
export class UnreachableError extends MusterError {}
/** Code `NO_ANSWER`: the connection was lost or timed out before the response was complete. */
export class NoAnswerError extends MusterError {}
/** Code `OUTCOME_UNKNOWN`: the mutation may or may not have run. Check before you repeat it. */
export class OutcomeUnknownError extends NoAnswerError {}
/** Code `BAD_ANSWER`: the response is not from Muster's API, probably because of a proxy or a wrong URL. */
export class BadAnswerError extends MusterError {}

const classes: Readonly<Record<string, typeof MusterError>> = {
  UNAUTHENTICATED: UnauthenticatedError,
  FORBIDDEN: ForbiddenError,
  BAD_USER_INPUT: BadUserInputError,
  RESERVED_ATTRIBUTE: ReservedAttributeError,
  NOT_FOUND: NotFoundError,
  CONFLICT: ConflictError,
  LIMIT_EXCEEDED: LimitExceededError,
  QUERY_TOO_COMPLEX: QueryTooComplexError,
  PERSISTED_QUERY_NOT_FOUND: PersistedQueryNotFoundError,
  RATE_LIMITED: RateLimitedError,
  UNAVAILABLE: UnavailableError,
  INTERNAL: InternalError,
}

/** Error names, keyed by class. Errors cannot use `Class.name`, because bundlers may shorten class names. */
const ownNames = new Map<unknown, string>([
  [MusterError, 'MusterError'],
  [UnreachableError, 'UnreachableError'],
  [NoAnswerError, 'NoAnswerError'],
  [OutcomeUnknownError, 'OutcomeUnknownError'],
  [BadAnswerError, 'BadAnswerError'],
  ...Object.entries(classes).map(([code, Class]): [unknown, string] => [Class, nameOfCode(code)]),
])

const nameOfClass = (Class: { name: string }): string => ownNames.get(Class) ?? Class.name

function nameOfCode(code: string): string {
  const words = code.split('_').map((word) => word.charAt(0) + word.slice(1).toLowerCase())
  return `${words.join('')}Error`
}

/**
 * Creates the error for a response with `errors`. The first error's code determines the class.
 *
 * ```ts
 * const { errors = [], ...rest } = await muster.execute('{ login { email } }')
 * if (errors.length > 0) throw errorOf(errors, rest)
 * ```
 */
export function errorOf(errors: readonly GraphQLProblem[], details: ErrorDetails = {}): MusterError {
  const [first] = errors
  const code = first?.extensions?.code ?? 'UNKNOWN'
  const Class = classes[code] ?? MusterError
  return new Class(code, first?.message ?? 'the server did not provide a reason', { ...details, errors })
}
