/** One entry of an answer's `errors`. */
export interface GraphQLProblem {
  message: string
  path?: (string | number)[]
  extensions?: { code?: string; [name: string]: unknown }
}

export interface ErrorDetails {
  /** HTTP status of the answer, where there was one. */
  status?: number | undefined
  requestId?: string | undefined
  errors?: readonly GraphQLProblem[] | undefined
  /** What the answer held beside its errors. */
  data?: unknown
  cause?: unknown
}

/**
 * What every error of the API and of the way to it is: `code` is the API's (`NOT_FOUND`, …) or one of those named on the
 * classes below.
 */
export class MusterError extends Error {
  readonly code: string
  /** HTTP status of the answer, where there was one. */
  readonly status: number | undefined
  /** What the server's log has the request under. */
  readonly requestId: string | undefined
  /** Where in the answer the field is that failed. */
  readonly path: readonly (string | number)[] | undefined
  /** Why credentials were refused. */
  readonly reason: string | undefined
  /** All errors of the answer. */
  readonly errors: readonly GraphQLProblem[]
  /** What the answer held beside its errors. */
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

/** The credentials do not hold; `reason` says why. */
export class UnauthenticatedError extends MusterError {}
/** The credentials are valid but do not allow this, such as a read-only key that mutates. */
export class ForbiddenError extends MusterError {}
/** The document, a variable or an argument is wrong; the message says what would be right. */
export class BadUserInputError extends MusterError {}
/** The attribute name is reserved, or reserved for another kind of target. */
export class ReservedAttributeError extends MusterError {}
/** No such thing among yours. */
export class NotFoundError extends MusterError {}
/** It contradicts what is there: a taken hardware id, a value where a group stands, an active device. */
export class ConflictError extends MusterError {}
/** Something is over a limit; the message names the limit and the value found. */
export class LimitExceededError extends MusterError {}
/** The document is over a bound: depth, aliases, tokens or objects. */
export class QueryTooComplexError extends MusterError {}
/** The server does not store documents: send the document instead of its hash. */
export class PersistedQueryNotFoundError extends MusterError {}
/** Still refused after five minutes, or asked to come back later than in one. */
export class RateLimitedError extends MusterError {}
/** The server or its database was away, still so after the retries. */
export class UnavailableError extends MusterError {}
/** A fault of the server; its log has it under `requestId`. */
export class InternalError extends MusterError {}
/** Code `UNREACHABLE`: no connection came about, so the operation did not run. */
export class UnreachableError extends MusterError {}
/** Code `NO_ANSWER`: the connection broke or time ran out after sending. */
export class NoAnswerError extends MusterError {}
/** Code `OUTCOME_UNKNOWN`: there is no telling whether a mutation ran. Look before you repeat it. */
export class OutcomeUnknownError extends NoAnswerError {}
/** Code `BAD_ANSWER`: something answered that is not Muster's API, most likely a proxy or a wrong URL. */
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

/** Bundlers shorten names of classes, and programs log them: they come from the codes. */
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
 * The error for an answer that has `errors`: the class of the first one's code.
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
