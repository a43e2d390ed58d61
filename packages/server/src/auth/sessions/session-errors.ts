import { ApiError, badInput, retryIn } from '../../errors.ts'
import { sessionError, userDisabled } from '../authentication-reasons.ts'

const noAuthenticatorApp = (): ApiError => badInput('this user has no authenticator app: set one up first')

/** How long better-auth rejects all codes after too many wrong ones, in seconds. */
const LOCK_SECONDS = 900

export const tooManyWrongCodes = (retryAfter: number): ApiError =>
  new ApiError('RATE_LIMITED', `too many wrong codes: ${retryIn(retryAfter)}`, { retryAfter })

/** The keys are error codes of better-auth and its plugins. */
const errors: Readonly<Record<string, () => ApiError>> = {
  INVALID_EMAIL_OR_PASSWORD: () => sessionError('wrong-password'),
  INVALID_PASSWORD: () =>
    new ApiError('BAD_USER_INPUT', 'the current password is wrong: try again', { reason: 'wrong-password' }),
  USER_DISABLED: userDisabled,
  INVALID_CODE: () => sessionError('wrong-code'),
  INVALID_BACKUP_CODE: () => sessionError('wrong-code'),
  INVALID_TWO_FACTOR_COOKIE: () => sessionError('sign-in-expired'),
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: () => sessionError('sign-in-expired'),
  // Sign-in calls check for an earlier lock themselves (`assertNotLocked`), so this lock has just begun.
  ACCOUNT_TEMPORARILY_LOCKED: () => tooManyWrongCodes(LOCK_SECONDS),
  TOTP_ALREADY_ENABLED: () => badInput('two-factor authentication is already on: turn it off first'),
  TOTP_NOT_ENABLED: noAuthenticatorApp,
  TWO_FACTOR_NOT_ENABLED: noAuthenticatorApp,
  BACKUP_CODES_NOT_ENABLED: noAuthenticatorApp,
  SESSION_NOT_FRESH: () =>
    new ApiError('FORBIDDEN', 'you signed in more than a day ago: sign in again, then retry', {
      reason: 'session-not-fresh',
    }),
  PREVIOUSLY_REGISTERED: () => new ApiError('CONFLICT', 'this passkey is already registered: use another passkey'),
  CHALLENGE_NOT_FOUND: () =>
    badInput(
      'the passkey response arrived too late, was already used, or came without the passkey cookie: request new options and retry',
    ),
  FAILED_TO_VERIFY_REGISTRATION: () => badInput('the passkey could not be verified: request new options and retry'),
}

/**
 * Converts an error of better-auth to an ApiError. Throws if the error is internal. Any other error of a sign-in with a
 * passkey becomes `passkey-refused`.
 */
export function fromBetterAuthError(
  path: string,
  status: number,
  { code, message }: Record<string, unknown>,
): ApiError {
  if (status < 500 && path === '/passkey/verify-authentication') return sessionError('passkey-refused')
  const known = errors[String(code)]
  if (known !== undefined) return known()
  if (status === 401) return sessionError('no-session')
  if (status < 500) return badInput(typeof message === 'string' ? message : 'the request is malformed')
  throw new Error(`better-auth failed with status ${status} and code ${String(code)} at ${path}`)
}
