import { assertText } from '../../../lib/text.ts'
import { insertNonce } from '../../auth.queries.ts'
import { sessionError, userDisabled } from '../../rejection-reasons.ts'
import {
  type AttemptedUser,
  findUserOfEmail,
  findUserOfPasskey,
  findUserOfStep,
} from '../audit/attempted-user.queries.ts'
import { ownAttempt, runAttempt } from '../audit/attempts.ts'
import { recordChange } from '../audit/record-change.ts'
import type { AuthCall, AuthRequest, SignInMethod } from '../auth-call.ts'
import { agentOf, type Forwarded } from '../forward.ts'
import { hasPasskey } from '../passkeys.queries.ts'
import { PASSWORD_LENGTH } from '../passwords/password-length.ts'
import { stepOf } from '../session-cookie.ts'
import { deleteSessions } from '../sessions.queries.ts'
import type { Session } from '../sessions.ts'
import { findSignedInUser } from './sign-in.queries.ts'
import { triesOf } from './sign-in-attempts.ts'

const EMAIL_LENGTH = 254
/** Longer than a code is accepted, which includes 30 seconds before and after its interval. */
const CODE_VALID_MS = 120_000

/** Calls to sign in, with or without two-factor authentication, and to sign out. */
export const signInCalls: readonly AuthCall[] = [
  { method: 'POST', path: '/sign-in/email', takes: ['email', 'password'], handle: signInByPassword },
  { method: 'POST', path: '/two-factor/verify-totp', takes: ['code', 'trustDevice'], handle: byCode('totp') },
  { method: 'POST', path: '/two-factor/verify-backup-code', takes: ['code', 'trustDevice'], handle: byCode('backup') },
  {
    method: 'GET',
    path: '/passkey/generate-authenticate-options',
    async handle(call) {
      await call.tries.count([triesOf.passkeyOptions(call.addressOf(call.request.raw))])
      return addCookies(call, await call.forward(call.request, '/passkey/generate-authenticate-options')).result
    },
  },
  { method: 'POST', path: '/passkey/verify-authentication', takes: ['response'], handle: signInByPasskey },
  {
    method: 'POST',
    path: '/sign-out',
    async handle({ db, session, cookie, cookies }) {
      if (session !== undefined) await deleteSessions(db, session.accountId, { id: session.id })
      cookies.push(...cookie.clear())
      return { signedIn: false }
    },
  },
]

async function signInByPassword(call: AuthRequest): Promise<object> {
  const { fields, request } = call
  const [email, password] = [fields.text('email').trim(), fields.text('password')]
  assertText(email, 'email', EMAIL_LENGTH)
  assertText(password, 'password', PASSWORD_LENGTH.max)
  const subjects = [triesOf.address(call.addressOf(request.raw)), triesOf.email(email)]
  const attempt = { method: 'password', findUser: () => findUserOfEmail(call.db, email) }
  return runAttempt(call, { subjects, attempt }, async () => {
    const forwarded = await call.forward(request, '/sign-in/email', { email, password })
    if (forwarded.result.twoFactorRedirect === true) {
      await endFormerSession(call)
      addCookies(call, forwarded)
      return { signedIn: false, needs: 'totp' }
    }
    return complete(call, forwarded, { method: 'password' })
  })
}

/** Finishes a sign-in with a code. For a signed-in user, it is the first code, which turns on codes. */
function byCode(kind: 'totp' | 'backup'): AuthCall['handle'] {
  const path = kind === 'totp' ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code'
  const method = kind === 'totp' ? 'password and code' : 'password and backup code'
  return async (call) => {
    const { fields, request, session } = call
    const code = fields.text('code').replaceAll(' ', '')
    assertText(code, 'code', 100)
    const trustDevice = fields.optionalBoolean('trustDevice') ?? false
    const subjects = [
      session === undefined ? triesOf.address(call.addressOf(request.raw)) : triesOf.account(session.accountId),
    ]
    let user: AttemptedUser | undefined
    const attempt =
      session === undefined
        ? { method, findUser: async () => user }
        : ownAttempt(session, kind === 'totp' ? 'code' : 'backup code')
    return runAttempt(call, { subjects, attempt }, async () => {
      // Found before the attempt, because the last wrong code deletes the pending sign-in.
      if (session === undefined) user = await findUserOfStep(call.db, stepOf(request.headers.cookie))
      const hadTotp = session !== undefined && (await findSignedInUser(call.db, session.accountId))?.hasTotp
      const forwarded = await call.forward(request, path, { code, trustDevice })
      if (session === undefined) return complete(call, forwarded, { method, ...(kind === 'totp' && { code }) })
      addCookies(call, forwarded)
      if (!hadTotp) await recordChange(call, session, { type: 'AUTHENTICATOR_ADD', work: async () => {} })
      return { signedIn: true }
    })
  }
}

async function signInByPasskey(call: AuthRequest): Promise<object> {
  const { fields, request } = call
  const response = fields.object('response')
  const subjects = [triesOf.address(call.addressOf(request.raw))]
  const credential = String(response.id)
  const attempt = { method: 'passkey', findUser: () => findUserOfPasskey(call.db, credential) }
  return runAttempt(call, { subjects, attempt }, async () => {
    const forwarded = await call.forward(request, '/passkey/verify-authentication', { response })
    return complete(call, forwarded, { method: 'passkey', credential })
  })
}

/** The credentials of a successful sign-in. */
interface UsedCredentials {
  method: SignInMethod
  /** The code from an authenticator app. */
  code?: string
  /** The credential id of the passkey. */
  credential?: string
}

/** Completes a sign-in: calls `onSignIn` before the browser gets its cookie, and ends the browser's former session. */
async function complete(call: AuthRequest, forwarded: Forwarded, used: UsedCredentials): Promise<object> {
  const { method, code } = used
  const { request, onSignIn, addressOf } = call
  const { accountId, email, id } = await sessionOf(call, forwarded)
  const end = () => deleteSessions(call.db, accountId, { id })
  if (!(await isStillValid(call, accountId, used))) {
    await end()
    throw sessionError('sign-in-expired')
  }
  if (code !== undefined && !(await isFirstUse(call, accountId, code))) {
    await end()
    throw sessionError('wrong-code')
  }
  await onSignIn({ accountId, email, address: addressOf(request.raw), agent: agentOf(request), method })
  await endFormerSession(call)
  addCookies(call, forwarded)
  return { signedIn: true }
}

/** Returns the session that a sign-in created. */
export async function sessionOf({ sessions, cookie }: AuthRequest, { cookies }: Forwarded): Promise<Session> {
  const tokens = cookies.map((header) => cookie.read(header.split(';')[0]))
  const token = tokens.findLast((each) => typeof each === 'string')
  const session = token ? await sessions.find(token) : undefined
  // With a passkey or a code, the user may be disabled. The new session is then invalid.
  if (session === undefined) throw userDisabled()
  return session
}

/** Whether the credentials still exist, because a reset ends only existing sessions. A password is checked at sign-in. */
async function isStillValid(
  { db }: AuthRequest,
  accountId: string,
  { method, credential }: UsedCredentials,
): Promise<boolean> {
  if (credential !== undefined) return hasPasskey(db, accountId, credential)
  return method === 'password' || ((await findSignedInUser(db, accountId))?.hasTotp ?? false)
}

/** RFC 6238 §5.2: a code that was accepted is not accepted again. */
export function isFirstUse({ db, clock }: AuthRequest, accountId: string, code: string): Promise<boolean> {
  return insertNonce(db, `totp ${accountId}`, code, new Date(clock().getTime() + CODE_VALID_MS))
}

async function endFormerSession({ db, session }: AuthRequest): Promise<void> {
  if (session !== undefined) await deleteSessions(db, session.accountId, { id: session.id })
}

export function addCookies({ cookies }: AuthRequest, forwarded: Forwarded): Forwarded {
  cookies.push(...forwarded.cookies)
  return forwarded
}
