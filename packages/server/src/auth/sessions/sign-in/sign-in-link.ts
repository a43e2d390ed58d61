import type { Database } from '../../../db/database.ts'
import { assertText } from '../../../lib/text.ts'
import { sessionError, userDisabled } from '../../rejection-reasons.ts'
import { runAttempt } from '../audit/failed-attempts.ts'
import type { AuthCall, AuthRequest } from '../auth-call.ts'
import { agentOf } from '../forward.ts'
import { deleteSessions } from '../sessions.queries.ts'
import { insertSession } from '../single-sign-on/single-sign-on.queries.ts'
import { hashToken, newToken } from '../tokens.ts'
import { attemptSubject } from './attempt-limits.ts'
import { endFormerSession } from './complete-sign-in.ts'
import { findSignedInUser, insertLink, takeLink } from './sign-in.queries.ts'

const LINK_SECONDS = 600
/** The session ends after this time, even if it is in use. */
const LINK_SESSION_SECONDS = 12 * 3_600
const TOKEN_LENGTH = 100

/** The database contains only the token's hash. */
export async function createSignInLink(
  db: Database,
  personId: string,
  now: Date,
): Promise<{ token: string; expires: Date }> {
  const [token, expires] = [newToken(), new Date(now.getTime() + LINK_SECONDS * 1_000)]
  await insertLink(db, { id: hashToken(token).toString('hex'), personId, expires })
  return { token, expires }
}

/** Signs in with a link from the operator, whatever MUSTER_SIGN_IN allows. */
export const signInLinkCall: AuthCall = {
  method: 'POST',
  path: '/sign-in/link',
  takes: ['token'],
  handle: signInByLink,
}

async function signInByLink(call: AuthRequest): Promise<object> {
  const { db, clock, fields, request } = call
  const token = fields.text('token')
  assertText(token, 'token', TOKEN_LENGTH)
  let personId: string | undefined
  const subjects = [attemptSubject.address(call.addressOf(request.raw))]
  const findUser = async () => (personId === undefined ? undefined : findSignedInUser(db, personId))
  return runAttempt(call, { subjects, attempt: { method: METHOD, findUser } }, async () => {
    personId = await takeLink(db, hashToken(token).toString('hex'), clock())
    if (personId === undefined) throw sessionError('sign-in-link')
    await startSession(call, personId)
    return { signedIn: true }
  })
}

const METHOD = 'sign-in link'

async function startSession(call: AuthRequest, personId: string): Promise<void> {
  const { db, clock, cookies, cookie } = call
  const created = clock()
  const [address, agent] = [call.addressOf(call.request.raw), agentOf(call.request)]
  const session = {
    id: newToken(),
    token: newToken(),
    ends: new Date(created.getTime() + LINK_SESSION_SECONDS * 1_000),
  }
  await insertSession(db, { ...session, personId, address, agent, created, method: METHOD })
  // The insertion waits for any transaction that disables the person, so the check must come after the insertion.
  const found = await call.sessions.find(session.token)
  if (found === undefined) throw userDisabled()
  try {
    await call.onSignIn({ personId, email: found.email, address, agent, method: METHOD })
  } catch (error) {
    await deleteSessions(db, personId, { id: session.id })
    throw error
  }
  await endFormerSession(call)
  cookies.push(...cookie.set(session.token, LINK_SESSION_SECONDS))
}
