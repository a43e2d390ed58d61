import { ApiError, badInput } from '../../../errors.ts'
import { assertText } from '../../../lib/string-checks.ts'
import { sessionError } from '../../authentication-reasons.ts'
import { ownAttempt, runAttempt } from '../audit/failed-attempts.ts'
import { type AuthRequest, defineCalls, signedIn } from '../auth-call.ts'
import { hasPasskey } from '../passkeys.queries.ts'
import { PASSWORD_LENGTH, verifyPassword } from '../passwords/password.ts'
import { confirmSession, deleteSessions } from '../sessions.queries.ts'
import type { Session } from '../sessions.ts'
import { attemptSubject } from './attempt-limits.ts'
import { assertNotLocked } from './code-sign-in.ts'
import { isFirstUse, sessionOf } from './complete-sign-in.ts'
import { findPassword, findSignedInUser } from './sign-in.queries.ts'

/** Confirms the sign-in, which then counts as recent for another hour. */
export const confirmSignInCalls = defineCalls({
  'POST /confirm-sign-in': {
    usesPassword: true,
    takes: ['password', 'code', 'response'],
    handle: signedIn(async (call, session) => {
      const confirm = readMethod(call, session)
      const attempt = ownAttempt(session, 'confirmation')
      await runAttempt(call, { subjects: [attemptSubject.person(session.personId)], attempt }, confirm)
      await confirmSession(call.db, session, call.clock())
      return { confirmed: true }
    }),
  },
})

function readMethod(call: AuthRequest, session: Session): () => Promise<void> {
  const { fields } = call
  const password = fields.optionalText('password')
  const code = fields.optionalText('code')?.replaceAll(' ', '')
  const response = fields.optionalObject('response')
  if ([password, code, response].filter((given) => given !== undefined).length !== 1)
    throw badInput('the body must contain exactly one of password, code, and response')
  if (password !== undefined) {
    assertText(password, 'password', PASSWORD_LENGTH.max)
    return () => confirmPassword(call, session, password)
  }
  if (code !== undefined) {
    assertText(code, 'code', 100)
    return () => confirmCode(call, session, code)
  }
  return () => confirmPasskey(call, session, response!)
}

async function confirmPassword({ db }: AuthRequest, { email, personId }: Session, password: string): Promise<void> {
  const stored = await findPassword(db, email)
  const hash = stored?.personId === personId ? stored.passwordHash : undefined
  if (hash === null) throw badInput('this user has no password: confirm with a code or a passkey, or sign in again')
  if (hash === undefined || !(await verifyPassword(password, hash)))
    throw new ApiError('BAD_USER_INPUT', 'the current password is wrong: try again', { reason: 'wrong-password' })
}

async function confirmCode(call: AuthRequest, { personId }: Session, code: string): Promise<void> {
  // Without this check, the first code from an authenticator app that is being set up would turn on two-factor
  // authentication.
  const user = await findSignedInUser(call.db, personId)
  if (!user?.hasTotp)
    throw badInput('this user has no authenticator app: confirm with the password or a passkey, or sign in again')
  await assertNotLocked(call.db, personId)
  await call.forward(call.request, '/two-factor/verify-totp', { code })
  if (!(await isFirstUse(call, personId, code))) throw sessionError('wrong-code')
}

/** better-auth can verify a passkey only by signing in, so this function deletes the new session. */
async function confirmPasskey(call: AuthRequest, { personId }: Session, response: object): Promise<void> {
  const forwarded = await call.forward(call.request, '/passkey/verify-authentication', { response })
  const created = await sessionOf(call, forwarded)
  await deleteSessions(call.db, created.personId, { id: created.id })
  const credential = String((response as { id?: unknown }).id)
  if (created.personId !== personId || !(await hasPasskey(call.db, personId, credential)))
    throw sessionError('passkey-refused')
}
