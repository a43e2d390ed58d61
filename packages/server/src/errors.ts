/**
 * `status` is the usual HTTP status of a request that fails before execution. REST responses also use it for errors
 * during execution, except for LIMIT_EXCEEDED (`rest/statuses.ts`). A GraphQL response to an operation that failed
 * during execution has the status 200, or 503 if the whole operation failed with UNAVAILABLE and made no change.
 * docs/reference/errors.md is generated from this table.
 */
export const errorCodes = {
  UNAUTHENTICATED: { status: 401, meaning: 'The request has no credentials, or the server rejects its credentials.' },
  RATE_LIMITED: {
    status: 429,
    meaning:
      'The caller sends requests too often, sends too many requests or large bodies at the same time, or sends requests that are too expensive. Other causes are too many failed attempts to authenticate, data that exceeds the storage quota, and unread responses. Retry after the number of seconds in the header Retry-After or, if the operation failed while it ran, in extensions.retryAfter.',
  },
  UNAVAILABLE: {
    status: 503,
    meaning:
      'The server cannot process the request now. For example, the database is unreachable, full, or too slow for the request, or the server is overloaded or stopping. The message describes the cause.',
  },
  LIMIT_EXCEEDED: {
    status: 413,
    meaning:
      'The request exceeds a limit, for example on the size of a value or of the response, on the number of objects in an account, or on the duration of a query. The message describes the limit.',
  },
  BAD_USER_INPUT: {
    status: 400,
    meaning:
      'Part of the request is invalid, such as its document, a variable, an argument, or a header. The message describes the problem.',
  },
  QUERY_TOO_COMPLEX: {
    status: 400,
    meaning:
      'The document exceeds a limit, for example on its depth, or on the number of aliases, tokens, or objects. The message describes the limit.',
  },
  FORBIDDEN: {
    status: 403,
    meaning:
      'The credentials are valid but do not allow this request. For example, the role lacks a permission, or the request is a mutation that is signed with a read-only key.',
  },
  RESERVED_ATTRIBUTE: {
    status: 400,
    meaning: 'The attribute name is reserved, or is not allowed on this kind of target or in a context.',
  },
  NOT_FOUND: {
    status: 404,
    meaning: 'The account does not contain the requested object, the caller cannot access it, or the URL is unknown.',
  },
  CONFLICT: {
    status: 409,
    meaning:
      'The change conflicts with existing data. For example, a hardware ID is in use, an attribute would have the same name as a group of attributes, or the device to delete is active.',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    status: 200,
    meaning:
      'The request contains the hash of a persisted query but no query. The server does not store queries. Send the query, with or without the hash.',
  },
  INTERNAL: {
    status: 500,
    meaning: 'The server failed. The log contains the error, with the request ID from the response.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>

/** The values of `extensions.reason`, except those for failed authentication (`authenticationReasons`). */
export const requestReasons = {
  // The order is that of docs/reference/errors.md, so two codes occur twice.
  ...withCode('FORBIDDEN', {
    permission:
      "The role or access key lacks permissions. `extensions.missing` lists each missing permission with the field that needs it. Usually, the server did not run any part of the request. If a stream ends with this reason, the caller's access has changed. Subscribe again.",
    'exceeds-own-access':
      "The request would grant more access than the caller has. For example, the new key or role has a permission that the caller lacks, or the new key expires later than the caller's key. The server also returns this reason if the caller changes or removes an owner without being one, or rotates another person's personal key. The same reason applies if the caller creates or accepts an invitation to a role that the inviter can no longer give. The message describes what is not allowed.",
    device:
      "The role or access key is restricted to some devices or attributes, and the request uses a field that does not apply this restriction. Or the request changes data of the whole account, changes data that decides which devices the restriction includes, or adds a device that the restriction excludes. The server also returns this reason if devices are moved to an account in which the caller's role is restricted. The message names the fields or the change.",
    attribute:
      'The role or access key is restricted to some attributes, and the request reads or sets another attribute, or uses data that depends on another attribute. The message names the attribute or the data.',
    'not-a-member':
      'The signed-in person is not a member of the account, or the account does not exist or is disabled.',
    'sign-in-required':
      'The session began with a kind of sign-in that the account does not accept. Sign in as `extensions.requiredSignIn` says: SSO means single sign-on. SECOND_FACTOR means single sign-on, a passkey, or a password with a two-factor code.',
    'sign-in-too-old':
      'The user last signed in or confirmed the sign-in more than an hour ago. Sign in again or, unless the server runs with `MUSTER_SIGN_IN=sso`, confirm the sign-in at `POST /auth/confirm-sign-in`. Then repeat the request.',
    'session-not-fresh':
      'To add a passkey, a user must have signed in within the last day. Sign in again, and then add the passkey.',
    'other-origin':
      "The request to a path below `/auth` does not come from this server's console. Send it from a page on this server, with the header `muster-session: 1`, and send POST bodies as `application/json`.",
  }),
  ...withCode('BAD_USER_INPUT', {
    'wrong-password': 'A signed-in user entered a wrong current password. The session remains valid. Try again.',
  }),
  ...withCode('CONFLICT', {
    'wrong-secret':
      "A device tried to register again with a valid registration code, but the ID or the secret in the Authorization header is not the device's. Send the device's ID and current secret, or have the device's owner allow a new registration.",
    'last-owner':
      'The change would leave the account without an owner who can sign in. Make another member an owner first.',
  }),
  ...withCode('BAD_USER_INPUT', {
    'idempotency-key-invalid':
      'The Idempotency-Key header is not a single string of printable ASCII characters in double quotes, or the string is empty or longer than 255 characters.',
    'idempotency-key-unsupported':
      'The request has an Idempotency-Key, but the operation does not consist of exactly one field that accepts this header. The message lists these fields. Omit the header, or send such a field as a separate request.',
    'idempotency-key-reused':
      'The Idempotency-Key was already used with a different request (HTTP status 422). Use a new key for each request.',
  }),
  ...withCode('CONFLICT', {
    'still-running':
      'A request with this Idempotency-Key is still running. Repeat your request after the number of seconds in `Retry-After`.',
    'already-created':
      'The first request with this Idempotency-Key succeeded, but the server cannot return its response. The response contains a secret or is too large, so the server did not store it. Or the devices or attributes that the caller can access may have changed. `extensions.created` contains the `kind` and `id` of the created object.',
  }),
}

function withCode<Reason extends string>(code: ErrorCode, meanings: Readonly<Record<Reason, string>>) {
  const entries = Object.entries(meanings).map(([reason, meaning]) => [reason, { code, meaning }])
  return Object.fromEntries(entries) as Record<Reason, { code: ErrorCode; meaning: string }>
}

export type ErrorCode = keyof typeof errorCodes

/** An error whose message and code the server sends to the caller. Most other errors become INTERNAL (`toApiError`). */
export class ApiError extends Error {
  readonly code: ErrorCode
  /** Further members of `extensions` in the response, such as `reason` or `retryAfter`. */
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

export const secondsText = (seconds: number): string => `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`

export const retryIn = (seconds: number): string => `retry in ${secondsText(seconds)}`

export const badInput = (message: string): ApiError => new ApiError('BAD_USER_INPUT', message)

export const limitExceeded = (message: string, details?: Readonly<Record<string, unknown>>): ApiError =>
  new ApiError('LIMIT_EXCEEDED', message, details)

/** Throws LIMIT_EXCEEDED if a list has too many items. `what` is the plural of the items, such as IDs. */
export function assertAtMost(limit: number, found: number, { path, what }: { path: string; what: string }): void {
  if (found > limit) throw limitExceeded(`${path} accepts at most ${limit} ${what}, found ${found}`, { limit, found })
}

/**
 * Throws LIMIT_EXCEEDED if an account already has the maximum number of objects. `objects` is their plural, such as
 * webhooks, and `remedy` says how to get below the limit.
 */
export function assertBelowLimit(
  objects: string,
  { limit, found }: { limit: number; found: number },
  remedy = 'delete one first',
): void {
  if (found < limit) return
  throw limitExceeded(`an account can have at most ${limit} ${objects}, found ${found}: ${remedy}`, { limit, found })
}

export function signInRequired(required: 'SECOND_FACTOR' | 'SSO'): ApiError {
  const how = required === 'SSO' ? 'single sign-on' : 'single sign-on, a passkey, or a password with a two-factor code'
  const details = { reason: 'sign-in-required', requiredSignIn: required }
  return new ApiError('FORBIDDEN', `this account requires another kind of sign-in: sign in again with ${how}`, details)
}

export const notFound = (what: string, id: string): ApiError =>
  new ApiError('NOT_FOUND', `there is no ${what} ${JSON.stringify(id)}`)
