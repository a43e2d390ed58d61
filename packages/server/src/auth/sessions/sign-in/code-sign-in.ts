import { assertText } from '../../../lib/string-checks.ts'
import { assertPasswordSession } from '../assert-password-session.ts'
import { type AttemptedUser, findUserOfStep } from '../audit/attempted-user.queries.ts'
import { ownAttempt, runAttempt } from '../audit/failed-attempts.ts'
import { recordChange } from '../audit/record-change.ts'
import type { AuthCall } from '../auth-call.ts'
import { stepOf } from '../session-cookie.ts'
import { attemptSubject } from './attempt-limits.ts'
import { addCookies, completeSignIn } from './complete-sign-in.ts'
import { findSignedInUser } from './sign-in.queries.ts'

export const codeSignInCalls: readonly AuthCall[] = [
  {
    method: 'POST',
    path: '/two-factor/verify-totp',
    usesPassword: true,
    takes: ['code', 'trustDevice'],
    handle: byCode('totp'),
  },
  {
    method: 'POST',
    path: '/two-factor/verify-backup-code',
    usesPassword: true,
    takes: ['code', 'trustDevice'],
    handle: byCode('backup'),
  },
]

/** Signs in with a code. If the user is already signed in, the first code turns on two-factor authentication. */
function byCode(kind: 'totp' | 'backup'): AuthCall['handle'] {
  const path = kind === 'totp' ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code'
  const method = kind === 'totp' ? 'password and code' : 'password and backup code'
  return async (call) => {
    const { fields, request, session } = call
    if (session !== undefined) assertPasswordSession(session)
    const code = fields.text('code').replaceAll(' ', '')
    assertText(code, 'code', 100)
    const trustDevice = fields.optionalBoolean('trustDevice') ?? false
    const subjects = [
      session === undefined
        ? attemptSubject.address(call.addressOf(request.raw))
        : attemptSubject.person(session.personId),
    ]
    let user: AttemptedUser | undefined
    const attempt =
      session === undefined
        ? { method, findUser: async () => user }
        : ownAttempt(session, kind === 'totp' ? 'code' : 'backup code')
    return runAttempt(call, { subjects, attempt }, async () => {
      // The user is looked up before the attempt, because the last allowed wrong code deletes the pending sign-in.
      if (session === undefined) user = await findUserOfStep(call.db, stepOf(request.headers.cookie))
      const hadTotp = session !== undefined && (await findSignedInUser(call.db, session.personId))?.hasTotp
      const forwarded = await call.forward(request, path, { code, trustDevice })
      if (session === undefined) return completeSignIn(call, forwarded, { method, ...(kind === 'totp' && { code }) })
      addCookies(call, forwarded)
      if (!hadTotp) await recordChange(call, session, { type: 'AUTHENTICATOR_ADD', work: async () => {} })
      return { signedIn: true }
    })
  }
}
