/**
 * The only table of error codes. `status` is the HTTP status of a request that fails before execution. Errors during execution
 * have the status that GraphQL over HTTP prescribes. `docs/reference/errors.md` is generated from this table.
 */
export const errorCodes = {
  UNAUTHENTICATED: { status: 401, meaning: 'The request has no credentials, or invalid ones.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests. Wait as many seconds as Retry-After says, then retry.' },
  UNAVAILABLE: {
    status: 503,
    meaning:
      'The database is unreachable, full, or too slow for this request, or the server is overloaded or stopping. The message says which.',
  },
  LIMIT_EXCEEDED: {
    status: 413,
    meaning: 'A value exceeds a limit. The message names the limit and the value.',
  },
  BAD_USER_INPUT: {
    status: 400,
    meaning: 'The document, a variable, or an argument is wrong. The message says what would be right.',
  },
  QUERY_TOO_COMPLEX: { status: 400, meaning: 'The document exceeds a limit on depth, aliases, tokens, or objects.' },
  FORBIDDEN: {
    status: 403,
    meaning:
      'The credentials are valid but do not allow this: a read-only key that mutates, or a key that creates or enables a stronger one.',
  },
  RESERVED_ATTRIBUTE: {
    status: 400,
    meaning: 'The attribute name is reserved, or reserved for another kind of target.',
  },
  NOT_FOUND: { status: 404, meaning: 'The account has no such object.' },
  CONFLICT: {
    status: 409,
    meaning:
      'The change conflicts with existing data, such as a hardware id in use, an attribute group with the name of a value, or an active device.',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    status: 200,
    meaning:
      'The request has the hash of a persisted query but no query. The server does not store queries: send the query, with or without the hash.',
  },
  INTERNAL: {
    status: 500,
    meaning: 'A bug or failure in the server. The log has the error, with the request id of the response.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>

/** Values of `extensions.reason` for valid credentials; `docs/reference/errors.md` is generated from this table. */
export const requestReasons = {
  'exceeds-own-access': {
    code: 'FORBIDDEN',
    meaning: 'The access key would create or enable a key that expires later, or that drops the digest requirement.',
  },
  'sign-in-too-old': {
    code: 'FORBIDDEN',
    meaning:
      'The session signed in more than an hour ago: confirm the sign-in at `POST /auth/confirm-sign-in`, then repeat the request.',
  },
  'idempotency-key-invalid': {
    code: 'BAD_USER_INPUT',
    meaning: 'The Idempotency-Key header is not one string in double quotes, or is empty or too long.',
  },
  'idempotency-key-unsupported': {
    code: 'BAD_USER_INPUT',
    meaning: 'The mutation came with an Idempotency-Key, but is not exactly one field that accepts one.',
  },
  'idempotency-key-reused': {
    code: 'BAD_USER_INPUT',
    meaning: 'The Idempotency-Key was used with a different request (HTTP status 422).',
  },
  'still-running': {
    code: 'CONFLICT',
    meaning: 'A request with this Idempotency-Key has not finished yet; `Retry-After` says when to repeat it.',
  },
  'already-created': {
    code: 'CONFLICT',
    meaning:
      'The first request succeeded, and its response is not stored. `extensions.created` has the `kind` and `id` of what it created.',
  },
} as const satisfies Record<string, { code: keyof typeof errorCodes; meaning: string }>

export type ErrorCode = keyof typeof errorCodes

/** An error whose message and code are meant for the caller. Any other error becomes INTERNAL. */
export class ApiError extends Error {
  readonly code: ErrorCode
  /** Other members of `extensions` in the response, such as `reason` for UNAUTHENTICATED. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.details = details
  }

  get status(): number {
    return errorCodes[this.code].status
  }
}

export const badInput = (message: string): ApiError => new ApiError('BAD_USER_INPUT', message)

export const notFound = (what: string, id: string): ApiError =>
  new ApiError('NOT_FOUND', `no ${what} ${JSON.stringify(id)}`)
