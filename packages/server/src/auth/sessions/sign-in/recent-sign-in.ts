import type { Config } from '../../../config.ts'
import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import type { Viewer } from '../../../viewer.ts'
import { readConfirmed } from '../sessions.queries.ts'

/** How long a sign-in or a confirmation counts as recent, in milliseconds. */
const RECENT_MS = 3_600_000

interface RecentSignInOptions {
  db: Database
  clock: () => Date
  /** Omit this only if the viewer has no session, because the error message depends on it. */
  signIn?: Config['signIn']
}

/**
 * Throws FORBIDDEN if the request uses a session whose user last signed in or confirmed the sign-in more than an hour
 * ago. Signed requests are always allowed.
 */
export async function assertRecentSignIn(
  { db, clock, signIn }: RecentSignInOptions,
  { accountId, personId = accountId, session }: Viewer,
): Promise<void> {
  if (session === undefined) return
  const confirmed = await readConfirmed(db, personId, session)
  if (confirmed !== undefined && clock().getTime() - confirmed.getTime() <= RECENT_MS) return
  const message =
    signIn === 'sso'
      ? 'you last signed in more than an hour ago: sign in again with single sign-on, then retry'
      : 'you last signed in or confirmed the sign-in more than an hour ago: confirm the sign-in with your password, a passkey, or a code from your authenticator app (POST /auth/confirm-sign-in), or sign in again, then retry'
  throw new ApiError('FORBIDDEN', message, { reason: 'sign-in-too-old' })
}
