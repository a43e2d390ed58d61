import { ApiError } from '../../errors.ts'
import { SSO_METHOD } from './auth-call.ts'
import type { Session } from './sessions.ts'

/**
 * Throws FORBIDDEN for a session from single sign-on. Calls that change a password or an authenticator app start
 * another session, which would outlast the current one and which the identity provider could not end.
 */
export function assertPasswordSession({ method }: Session): void {
  if (method === SSO_METHOD)
    throw new ApiError(
      'FORBIDDEN',
      'you signed in with single sign-on: sign in with your password or a passkey first, then retry',
    )
}
