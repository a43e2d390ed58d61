import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import type { Database } from '../../../db/database.ts'
import { findPassword } from './sign-in.queries.ts'

/**
 * Replaces better-auth's endpoint `signInEmail`. That endpoint rejects email addresses without a dot in the host, such
 * as owner@localhost, and compares addresses by rules other than Muster's. In this endpoint, an unknown address takes
 * as much work as a wrong password.
 */
export function passwordSignIn(db: Database) {
  return {
    id: 'muster-password',
    endpoints: {
      signInEmail: createAuthEndpoint('/sign-in/email', { method: 'POST' }, async (call) => {
        const { password: passwords, internalAdapter } = call.context
        // The route has already parsed and checked the body.
        const { email, password } = call.body as unknown as { email: string; password: string }
        const stored = await findPassword(db, email)
        const hash = stored?.passwordHash
        if (!stored || !hash) {
          await passwords.hash(password)
          throw wrongPassword()
        }
        if (!(await passwords.verify({ hash, password }))) throw wrongPassword()
        // Only a caller who knows the password learns that the user is disabled.
        if (stored.isDisabled) throw new APIError('UNAUTHORIZED', { code: 'USER_DISABLED', message: 'disabled' })
        const user = await internalAdapter.findUserById(stored.personId)
        if (user === null) throw wrongPassword()
        const session = await internalAdapter.createSession(user.id)
        // Creating the session waited for any concurrent reset (`lockPerson`), which therefore did not delete the
        // session. If the reset changed the password, the session must end.
        if ((await findPassword(db, email))?.passwordHash !== hash) {
          await internalAdapter.deleteSession(session.token)
          throw wrongPassword()
        }
        await setSessionCookie(call, { session, user })
        return call.json({ user: { id: user.id } })
      }),
    },
  } satisfies BetterAuthPlugin
}

const wrongPassword = (): APIError =>
  new APIError('UNAUTHORIZED', { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'the email address or password is wrong' })
