/** One entry of a response's `errors`. */
export interface GraphQLProblem {
  message: string
  path?: (string | number)[]
  extensions?: { code?: string; [name: string]: unknown }
}

export interface ErrorDetails {
  /** HTTP status of the response, if there was one. */
  status?: number | undefined
  requestId?: string | undefined
  errors?: readonly GraphQLProblem[] | undefined
  /** The rest of the response besides its errors. */
  data?: unknown
  cause?: unknown
}

/**
 * The base class of all API errors and connection errors. `code` is a code of the API (`NOT_FOUND`, …) or a code that is
 * documented on a class below.
 */
export class MusterError extends Error {
  readonly code: string
  /** HTTP status of the response, if there was one. */
  readonly status: number | undefined
  /** Identifies the request in the server log. */
  readonly requestId: string | undefined
  /** The path of the failed field in the response. */
  readonly path: readonly (string | number)[] | undefined
  /** Why the credentials were rejected. */
  readonly reason: string | undefined
  /** All errors of the response. */
  readonly errors: readonly GraphQLProblem[]
  /** The rest of the response besides its errors. */
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

/** The credentials are invalid. `reason` says why. */
export class UnauthenticatedError extends MusterError {}
/** The credentials are valid but do not allow this, such as a read-only key that mutates. */
export class ForbiddenError extends MusterError {}
/** The document, a variable, or an argument is invalid. The message says what is valid. */
export class BadUserInputError extends MusterError {}
/** The attribute name is reserved, or reserved for another kind of target. */
export class ReservedAttributeError extends MusterError {}
/** The object does not exist in your account. */
export class NotFoundError extends MusterError {}
/** A conflict with existing data: a duplicate hardware id, a value instead of a group, an active device. */
export class ConflictError extends MusterError {}
/** A value exceeds a limit. The message names both. */
export class LimitExceededError extends MusterError {}
/** The document exceeds a limit of depth, aliases, tokens, or objects. */
export class QueryTooComplexError extends MusterError {}
/** The server does not store documents: send the document instead of its hash. */
export class PersistedQueryNotFoundError extends MusterError {}
/** Still rate limited after 5 minutes, or the server asked to wait for more than 1 minute. */
export class RateLimitedError extends MusterError {}
/** The server or its database was unavailable, also after the retries. */
export class UnavailableError extends MusterError {}
/** A server error. The server logs it with the `requestId`. */
export class InternalError extends MusterError {}
/** Code `UNREACHABLE`: the connection failed, so the operation did not run. */
export class UnreachableError extends MusterError {}
/** Code `NO_ANSWER`: the connection was lost or timed out after the request was sent. */
export class NoAnswerError extends MusterError {}
/** Code `OUTCOME_UNKNOWN`: a mutation may or may not have run. Check before you repeat it. */
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

/** Error names come from the codes, because bundlers shorten the class names that programs log. */
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
 * Creates the error for a response with `errors`. The code of the first error determines the class.
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
  return new Class(code, first?.message ?? 'the server gave no reason', { ...details, errors })
}
