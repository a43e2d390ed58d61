import { insertNonce } from '../../auth.queries.ts'
import { sessionError, userDisabled } from '../../authentication-reasons.ts'
import type { AuthRequest, SignInMethod } from '../auth-call.ts'
import { agentOf, type Forwarded } from '../forward.ts'
import { hasPasskey } from '../passkeys.queries.ts'
import { deleteSessions, writeMethod } from '../sessions.queries.ts'
import type { Session } from '../sessions.ts'
import { findSignedInUser } from './sign-in.queries.ts'

/** This time exceeds the 90 seconds for which a code is accepted: its interval, and the intervals before and after. */
const CODE_VALID_MS = 120_000

export interface UsedCredentials {
  method: SignInMethod
  /** The code from an authenticator app. */
  code?: string
  /** The passkey's credential ID. */
  credential?: string
}

/**
 * Throws if the person is disabled, if the credentials are no longer valid, or if the code was used before. Otherwise,
 * calls `onSignIn`, ends the browser's previous session, and adds the cookie of the new session.
 */
export async function completeSignIn(call: AuthRequest, forwarded: Forwarded, used: UsedCredentials): Promise<object> {
  const { method, code } = used
  const { request, onSignIn, addressOf } = call
  const { personId, email, id } = await sessionOf(call, forwarded)
  const end = () => deleteSessions(call.db, personId, { id })
  if (!(await isStillValid(call, personId, used))) {
    await end()
    throw sessionError('sign-in-expired')
  }
  if (code !== undefined && !(await isFirstUse(call, personId, code))) {
    await end()
    throw sessionError('wrong-code')
  }
  await writeMethod(call.db, { personId, id }, method)
  try {
    await onSignIn({ personId, email, address: addressOf(request.raw), agent: agentOf(request), method })
  } catch (error) {
    await end()
    throw error
  }
  await endFormerSession(call)
  addCookies(call, forwarded)
  return { signedIn: true }
}

export async function sessionOf({ sessions, cookie }: AuthRequest, { cookies }: Forwarded): Promise<Session> {
  const tokens = cookies.map((header) => cookie.read(header.split(';')[0]))
  const token = tokens.findLast((each) => typeof each === 'string')
  const session = token ? await sessions.find(token) : undefined
  // better-auth may let a disabled person sign in with a passkey or a code, but the new session is then invalid.
  if (session === undefined) throw userDisabled()
  return session
}

/**
 * Checks the credentials again, because a concurrent reset does not end the new session. `passwordSignIn` has already
 * rechecked the password.
 */
async function isStillValid(
  { db }: AuthRequest,
  personId: string,
  { method, credential }: UsedCredentials,
): Promise<boolean> {
  if (credential !== undefined) return hasPasskey(db, personId, credential)
  return method === 'password' || ((await findSignedInUser(db, personId))?.hasTotp ?? false)
}

/**
 * Records the use of a code, because a code must not be accepted a second time (RFC 6238 §5.2). Returns false if the
 * code was used before.
 */
export function isFirstUse({ db, clock }: AuthRequest, personId: string, code: string): Promise<boolean> {
  return insertNonce(db, `totp ${personId}`, code, new Date(clock().getTime() + CODE_VALID_MS))
}

export async function endFormerSession({ db, session }: AuthRequest): Promise<void> {
  if (session !== undefined) await deleteSessions(db, session.personId, { id: session.id })
}

export function addCookies({ cookies }: AuthRequest, forwarded: Forwarded): Forwarded {
  cookies.push(...forwarded.cookies)
  return forwarded
}
