import type { FastifyRequest } from 'fastify'
import type { Database } from '../../../db/database.ts'
import { ssoError } from '../../authentication-reasons.ts'
import { findPair } from '../session-cookie.ts'
import { hashToken, newToken } from '../tokens.ts'
import type { AttemptChecks } from './provider.ts'
import { findAttempt, insertAttempt, type StoredAttempt, takeAttempt } from './sso-attempts.queries.ts'

const ATTEMPT_SECONDS = 600
/** The cookie outlasts the attempt, so that the reason for rejecting a late response is `sso-expired`. */
const COOKIE_SECONDS = 86_400
const TOKEN_PATTERN = /^[\w-]{43}$/

export interface AttemptDeps {
  db: Database
  clock: () => Date
  isSecure: boolean
}

export type Purpose = Pick<StoredAttempt, 'returnTo' | 'invitationHash' | 'personId'>

/**
 * Stores an attempt, and returns its checks and a cookie for the browser. Browsers do not send the session cookie with
 * the redirect from the provider, because that cookie is `SameSite=Strict`. The returned cookie therefore identifies
 * the browser, and all its tabs share the cookie.
 */
export async function startAttempt(
  { db, clock, isSecure }: AttemptDeps,
  request: FastifyRequest,
  purpose: Purpose,
): Promise<{ checks: AttemptChecks; cookie: string }> {
  const browser = browserOf(request, isSecure) ?? newToken()
  const checks = { state: newToken(), nonce: newToken(), verifier: newToken() }
  await insertAttempt(db, {
    ...purpose,
    id: hashToken(checks.state).toString('hex'),
    browserHash: hashToken(browser),
    verifier: checks.verifier,
    nonce: checks.nonce,
    expires: new Date(clock().getTime() + ATTEMPT_SECONDS * 1_000),
  })
  const attributes = `Max-Age=${COOKIE_SECONDS}; Path=/auth/sso; HttpOnly; ${isSecure ? 'Secure; ' : ''}SameSite=Lax`
  return { checks, cookie: `${nameOf(isSecure)}=${browser}; ${attributes}` }
}

/**
 * Returns the attempt of a response from the provider. Deletes a sign-in's attempt. An attempt to link an identity stays
 * until the link is complete. Ending the person's sessions therefore also stops a link that waits for the provider.
 */
export async function endAttempt(
  { db, clock, isSecure }: AttemptDeps,
  request: FastifyRequest,
): Promise<{ attempt: StoredAttempt; checks: AttemptChecks }> {
  const browser = browserOf(request, isSecure)
  const { state } = request.query as Record<string, unknown>
  if (browser === undefined || typeof state !== 'string' || !TOKEN_PATTERN.test(state)) throw ssoError('sso-failed')
  const key = { id: hashToken(state).toString('hex'), browserHash: hashToken(browser) }
  const found = await findAttempt(db, key, clock())
  const attempt = found?.personId === null ? await takeAttempt(db, key, clock()) : found
  if (attempt === undefined) throw ssoError('sso-expired')
  return { attempt, checks: { state, nonce: attempt.nonce, verifier: attempt.verifier } }
}

const nameOf = (isSecure: boolean): string => (isSecure ? '__Secure-muster.sso' : 'muster.sso')

function browserOf({ headers }: FastifyRequest, isSecure: boolean): string | undefined {
  const value = findPair(headers.cookie, nameOf(isSecure))
  return value !== undefined && TOKEN_PATTERN.test(value) ? value : undefined
}
