import { ApiError } from '../../errors.ts'
import { SSO_METHOD } from './auth-call.ts'
import type { Session } from './sessions.ts'

/**
 * Throws FORBIDDEN for a session from single sign-on. Calls that change a password or an authenticator app start
 * another session. That session would outlast the current session, and the identity provider could not end it.
 */
export function assertPasswordSession({ method }: Session): void {
  if (method === SSO_METHOD)
    throw new ApiError(
      'FORBIDDEN',
      'you signed in with single sign-on: sign in with your password or a passkey first, then retry',
    )
}
