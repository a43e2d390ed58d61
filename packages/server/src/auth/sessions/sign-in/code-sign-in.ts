import type { Database } from '../../../db/database.ts'
import { assertText } from '../../../lib/string-checks.ts'
import { sessionError } from '../../authentication-reasons.ts'
import { assertPasswordSession } from '../assert-password-session.ts'
import { type AttemptedUser, findUserOfStep } from '../audit/attempted-user.queries.ts'
import { ownAttempt, runAttempt } from '../audit/failed-attempts.ts'
import { recordChange } from '../audit/record-change.ts'
import { type AuthCall, defineCalls } from '../auth-call.ts'
import { stepOf } from '../session-cookie.ts'
import { tooManyWrongCodes } from '../session-errors.ts'
import { writeMethod } from '../sessions.queries.ts'
import { findTotpLock } from '../totp.queries.ts'
import { attemptSubject } from './attempt-limits.ts'
import { addCookies, completeSignIn, isFirstUse, sessionOf } from './complete-sign-in.ts'
import { findSignedInUser } from './sign-in.queries.ts'

export const codeSignInCalls = defineCalls({
  'POST /two-factor/verify-totp': codeCall('/two-factor/verify-totp', 'code'),
  'POST /two-factor/verify-backup-code': codeCall('/two-factor/verify-backup-code', 'backup code'),
})

/**
 * Signs in with a code. If the user is already signed in, the first code turns on two-factor authentication. The new
 * session, which then replaces the current one, counts as started with the password and a code.
 */
function codeCall(path: string, kind: 'code' | 'backup code'): Omit<AuthCall, 'method' | 'path'> {
  const method = `password and ${kind}` as const
  return {
    usesPassword: true,
    takes: ['code', 'trustDevice'],
    async handle(call) {
      const { fields, request, session } = call
      if (session !== undefined) assertPasswordSession(session)
      const code = fields.text('code').replaceAll(' ', '')
      assertText(code, 'code', 100)
      const trustDevice = fields.optionalBoolean('trustDevice') ?? false
      const subject =
        session === undefined
          ? attemptSubject.address(call.addressOf(request.raw))
          : attemptSubject.person(session.personId)
      let user: AttemptedUser | undefined
      const attempt = session === undefined ? { method, findUser: async () => user } : ownAttempt(session, kind)
      return runAttempt(call, { subjects: [subject], attempt }, async () => {
        // Find the user before the attempt, because better-auth deletes the pending sign-in after too many wrong codes.
        if (session === undefined) user = await findUserOfStep(call.db, stepOf(request.headers.cookie))
        const personId = session?.personId ?? user?.id
        if (personId !== undefined) await assertNotLocked(call.db, personId)
        const hadTotp = session !== undefined && (await findSignedInUser(call.db, session.personId))?.hasTotp
        // Record the use first, because better-auth replaces the session, and a repeated request would lose the new one.
        if (session !== undefined && kind === 'code' && !(await isFirstUse(call, session.personId, code)))
          throw sessionError('wrong-code')
        const forwarded = await call.forward(request, path, { code, trustDevice })
        if (session === undefined) return completeSignIn(call, forwarded, { method, ...(kind === 'code' && { code }) })
        addCookies(call, forwarded)
        if (kind === 'code' && !hadTotp) {
          const created = await sessionOf(call, forwarded)
          const work = (transaction: Database) => writeMethod(transaction, created, method)
          await recordChange(call, session, { type: 'AUTHENTICATOR_ADD', work })
        }
        return { signedIn: true }
      })
    },
  }
}

/** During better-auth's lock, throws RATE_LIMITED with the seconds left, which better-auth's error does not contain. */
export async function assertNotLocked(db: Database, personId: string): Promise<void> {
  const ends = await findTotpLock(db, personId)
  // better-auth uses the system clock.
  const seconds = ends == null ? 0 : Math.ceil((ends.getTime() - Date.now()) / 1_000)
  if (seconds > 0) throw tooManyWrongCodes(seconds)
}
