import { getCurrentAdapter, runWithTransaction } from '@better-auth/core/context'
import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint, sensitiveSessionMiddleware } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'

/**
 * Replaces better-auth's endpoint `changePassword`. That endpoint writes the new password even if the current password
 * has changed since it was compared, which would undo a reset. This endpoint also ends every session of the user, and
 * sets the cookie of a new session. The new session keeps the sign-in method of the current session.
 */
export function passwordChange() {
  return {
    id: 'muster-password-change',
    endpoints: {
      changePassword: createAuthEndpoint(
        '/change-password',
        { method: 'POST', use: [sensitiveSessionMiddleware] },
        async (call) => {
          const { adapter, internalAdapter, password: passwords, session: signedIn } = call.context
          const { user } = signedIn
          // The route has already parsed the body and checked the lengths.
          const { currentPassword, newPassword } = call.body as unknown as Record<string, string>
          const account = await internalAdapter.findCredentialAccount(user.id)
          const currentHash = account?.password
          if (!account || !currentHash) throw noPassword()
          if (!(await passwords.verify({ hash: currentHash, password: currentPassword! }))) throw wrongPassword()
          const password = await passwords.hash(newPassword!)
          const session = await runWithTransaction(adapter, async () => {
            const where = [
              { field: 'id', value: user.id },
              { field: 'passwordHash', value: currentHash },
            ]
            const current = await getCurrentAdapter(adapter)
            // Write to the table of people, because a cluster cannot write to the view that lists the passwords.
            const changed = await current.updateMany({ model: 'user', where, update: { passwordHash: password } })
            if (changed === 0) throw wrongPassword()
            await internalAdapter.deleteUserSessions(user.id)
            return internalAdapter.createSession(user.id, false, { method: signedIn.session.method })
          })
          await setSessionCookie(call, { session, user })
          return call.json({})
        },
      ),
    },
  } satisfies BetterAuthPlugin
}

const noPassword = (): APIError =>
  new APIError('BAD_REQUEST', {
    code: 'NO_PASSWORD',
    message: 'this user has no password to change: ask the operator of the server for a link to set one',
  })

const wrongPassword = (): APIError =>
  new APIError('BAD_REQUEST', { code: 'INVALID_PASSWORD', message: 'the current password is wrong' })
