import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../../errors.ts'
import { insertNonce, isNonceUsed } from '../../auth.queries.ts'
import type { AuthDeps } from '../auth-call.ts'
import { deleteSessions } from '../sessions.queries.ts'
import { hashToken } from '../tokens.ts'
import type { Provider } from './provider.ts'
import { findSessionsOf } from './single-sign-on.queries.ts'

const LOGOUT_TOKEN_BYTES = 16 * 1_024

/**
 * Ends the sessions that the logout token in a request names. Returns false if the body exceeds `LOGOUT_TOKEN_BYTES`.
 * Also returns false if the token is missing, is invalid, or has been used (OpenID Connect Back-Channel Logout 1.0 §2.5
 * and §2.6). Throws UNAVAILABLE if `verifyLogoutToken` throws `sso-unavailable`.
 */
export async function endSessions(
  { db, record, onRecorded }: Pick<AuthDeps, 'db' | 'record' | 'onRecorded'>,
  provider: Provider,
  { body }: FastifyRequest,
): Promise<boolean> {
  if (!Buffer.isBuffer(body) || body.length > LOGOUT_TOKEN_BYTES) return false
  const token = new URLSearchParams(body.toString()).get('logout_token')
  const claims = token === null ? undefined : await provider.verifyLogoutToken(token).catch(unlessUnavailable)
  if (claims === undefined) return false
  const { issuer, id, expires } = claims
  const [key, nonce] = [`logout ${issuer}`, hashToken(id).toString('hex')]
  if (await isNonceUsed(db, key, nonce)) return false
  const found = Map.groupBy(await findSessionsOf(db, claims), ({ personId }) => personId)
  for (const [personId, sessions] of found) {
    await db.transaction().execute(async (transaction) => {
      let ended = 0
      for (const session of sessions) ended += await deleteSessions(transaction, personId, { id: session.id })
      const data = { sessions: ended, provider: true }
      if (ended > 0) await record(transaction, { type: 'SESSION_REVOKE', personId, email: sessions[0]!.email, data })
    })
  }
  onRecorded()
  // The token counts as used only after all sessions have ended, so that the provider can resend it after a failure.
  await insertNonce(db, key, nonce, expires)
  return true
}

/** Throws UNAVAILABLE for the reason `sso-unavailable`, so that the provider retries. Ignores any other error. */
function unlessUnavailable(error: unknown): undefined {
  if (error instanceof ApiError && error.details.reason === 'sso-unavailable')
    throw new ApiError(
      'UNAVAILABLE',
      'the server cannot read the configuration or keys of the identity provider: retry when they are available',
    )
  return undefined
}
