import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../../errors.ts'
import { insertNonce } from '../../auth.queries.ts'
import type { AuthDeps } from '../auth-call.ts'
import { deleteSessions } from '../sessions.queries.ts'
import { hashToken } from '../tokens.ts'
import type { Provider } from './provider.ts'
import { findSessionsOf } from './single-sign-on.queries.ts'

const LOGOUT_TOKEN_BYTES = 16 * 1_024

/**
 * Ends the sessions that the logout token in a request names. Returns false if the token is invalid or has been used
 * (OpenID Connect Back-Channel Logout 1.0 §2.5 and §2.6).
 */
export async function endSessions(
  { db, record, onRecorded }: Pick<AuthDeps, 'db' | 'record' | 'onRecorded'>,
  provider: Provider,
  { body }: FastifyRequest,
): Promise<boolean> {
  if (!Buffer.isBuffer(body) || body.length > LOGOUT_TOKEN_BYTES) return false
  const token = new URLSearchParams(body.toString()).get('logout_token')
  const found = token === null ? undefined : await provider.verifyLogoutToken(token).catch(unlessUnavailable)
  if (found === undefined) return false
  const { issuer, id, expires } = found
  if (!(await insertNonce(db, `logout ${issuer}`, hashToken(id).toString('hex'), expires))) return false
  const ended = Map.groupBy(await findSessionsOf(db, found), ({ personId }) => personId)
  for (const [personId, sessions] of ended) {
    for (const { id: sessionId } of sessions) await deleteSessions(db, personId, { id: sessionId })
    const data = { sessions: sessions.length, provider: true }
    await record(db, { type: 'SESSION_REVOKE', personId, email: sessions[0]!.email, data })
  }
  onRecorded()
  return true
}

/**
 * Throws UNAVAILABLE if the provider cannot be reached, because the sender should then retry. Ignores any other error.
 */
function unlessUnavailable(error: unknown): undefined {
  if (error instanceof ApiError && error.details.reason === 'sso-unavailable')
    throw new ApiError('UNAVAILABLE', 'the configuration of the identity provider cannot be read: retry later')
  return undefined
}
