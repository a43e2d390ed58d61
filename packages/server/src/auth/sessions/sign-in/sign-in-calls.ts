import { assertText } from '../../../lib/string-checks.ts'
import { findUserOfEmail } from '../audit/attempted-user.queries.ts'
import { runAttempt } from '../audit/failed-attempts.ts'
import { type AuthCall, type AuthRequest, defineCalls } from '../auth-call.ts'
import { PASSWORD_LENGTH } from '../passwords/password.ts'
import { renewsTrust } from '../session-cookie.ts'
import { attemptSubject } from './attempt-limits.ts'
import { codeSignInCalls } from './code-sign-in.ts'
import { addCookies, completeSignIn, endFormerSession } from './complete-sign-in.ts'
import { passkeySignInCalls } from './passkey-sign-in.ts'

const EMAIL_LENGTH = 254

export const signInCalls: readonly AuthCall[] = [
  ...defineCalls({
    'POST /sign-in/email': { usesPassword: true, takes: ['email', 'password'], handle: signInByPassword },
  }),
  ...codeSignInCalls,
  ...passkeySignInCalls,
]

async function signInByPassword(call: AuthRequest): Promise<object> {
  const { fields, request } = call
  const [email, password] = [fields.text('email').trim(), fields.text('password')]
  assertText(email, 'email', EMAIL_LENGTH)
  assertText(password, 'password', PASSWORD_LENGTH.max)
  const subjects = [attemptSubject.address(call.addressOf(request.raw)), attemptSubject.email(email)]
  const attempt = { method: 'password', findUser: () => findUserOfEmail(call.db, email) }
  return runAttempt(call, { subjects, attempt }, async () => {
    const forwarded = await call.forward(request, '/sign-in/email', { email, password })
    if (forwarded.result.twoFactorRedirect === true) {
      await endFormerSession(call)
      addCookies(call, forwarded)
      return { signedIn: false, needs: 'totp' }
    }
    const method = renewsTrust(forwarded.cookies) ? 'password in trusted browser' : 'password'
    return completeSignIn(call, forwarded, { method })
  })
}
