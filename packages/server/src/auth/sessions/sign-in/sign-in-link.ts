import type { Database } from '../../../db/database.ts'
import { assertText } from '../../../lib/string-checks.ts'
import { sessionError } from '../../authentication-reasons.ts'
import { runAttempt } from '../audit/failed-attempts.ts'
import { type AuthRequest, defineCalls } from '../auth-call.ts'
import { attemptSubject } from './attempt-limits.ts'
import { createLink, linkOf, type OneTimeLink } from './one-time-link.ts'
import { findSignedInUser, takeLink } from './sign-in.queries.ts'
import { startSession } from './start-session.ts'

const LINK_SECONDS = 600
/** A session that began with a sign-in link ends after this time, even if it is in use. */
const LINK_SESSION_SECONDS = 12 * 3_600
const TOKEN_LENGTH = 100

/** Creates a link with which a person can sign in once. */
export const createSignInLink = (db: Database, personId: string, now: Date): Promise<OneTimeLink> =>
  createLink(db, { kind: 'link', personId, expires: new Date(now.getTime() + LINK_SECONDS * 1_000) })

/** Signs in with a link, regardless of MUSTER_SIGN_IN. A link works once. */
export const signInLinkCalls = defineCalls({ 'POST /sign-in/link': { takes: ['token'], handle: signInByLink } })

async function signInByLink(call: AuthRequest): Promise<object> {
  const { db, clock, fields, request } = call
  const token = fields.text('token')
  assertText(token, 'token', TOKEN_LENGTH)
  let personId: string | undefined
  const subjects = [attemptSubject.address(call.addressOf(request.raw))]
  const findUser = async () => (personId === undefined ? undefined : findSignedInUser(db, personId))
  return runAttempt(call, { subjects, attempt: { method: METHOD, findUser } }, async () => {
    personId = await takeLink(db, linkOf('link', token), clock())
    if (personId === undefined) throw sessionError('sign-in-link')
    await startSession(call, personId, { method: METHOD, seconds: LINK_SESSION_SECONDS, isFixed: true })
    return { signedIn: true }
  })
}

const METHOD = 'sign-in link'
