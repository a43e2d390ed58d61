import type { FastifyRequest } from 'fastify'
import type { Database } from '../../../db/database.ts'
import { ssoError } from '../../authentication-reasons.ts'
import { lockMasterKey } from '../../master-key/master-key.ts'
import type { SecretOwner, Secrets } from '../../secrets.ts'
import { type AuthDeps, SSO_METHOD } from '../auth-call.ts'
import { agentOf } from '../forward.ts'
import { deleteSessions, insertSession } from '../sessions.queries.ts'
import type { Session } from '../sessions.ts'
import { newToken } from '../tokens.ts'
import type { Provider, VerifiedSignIn } from './provider.ts'
import { findIdToken, hasIdentity, insertSsoSession } from './single-sign-on.queries.ts'
import type { AdmittedPerson } from './sso-people.ts'

export type SsoSessionDeps = Pick<AuthDeps, 'db' | 'clock' | 'sessions' | 'cookie' | 'addressOf' | 'onSignIn'> & {
  secrets: Secrets
  sessionMs: number
}

/**
 * Starts a session that ends after a fixed time. Returns the Set-Cookie headers. Throws if the person is disabled, or if
 * the identity is no longer linked to the person.
 */
export async function startSession(
  deps: SsoSessionDeps,
  request: FastifyRequest,
  { personId, email }: AdmittedPerson,
  { identity, sid, idToken }: VerifiedSignIn,
): Promise<string[]> {
  const { db, clock, secrets, sessionMs } = deps
  const created = clock()
  const [address, agent] = [deps.addressOf(request.raw), agentOf(request)]
  const expires = new Date(created.getTime() + sessionMs)
  const session = { id: newToken(), token: newToken(), expires, ends: expires }
  await db.transaction().execute(async (transaction) => {
    await lockMasterKey(transaction, secrets)
    await insertSession(transaction, { ...session, personId, address, agent, created, method: SSO_METHOD })
    // The insertion waits for any reset that removes the identity, so the check must come after the insertion.
    if (!(await hasIdentity(transaction, personId, identity))) throw ssoError('sso-expired')
    await insertSsoSession(transaction, {
      personId,
      sessionId: session.id,
      issuer: identity.issuer,
      subject: identity.subject,
      sid,
      encryptedIdToken: secrets.encrypt(ownerOf(personId, session.id), Buffer.from(idToken)),
    })
  })
  // The insertion waits for any transaction that disables the person, so the check must come after the insertion.
  if ((await deps.sessions.find(session.token)) === undefined) throw ssoError('sso-disabled')
  try {
    await deps.onSignIn({ personId, email, address, agent, method: SSO_METHOD })
  } catch (error) {
    await deleteSessions(db, personId, { id: session.id })
    throw error
  }
  return deps.cookie.set(session.token, sessionMs / 1_000)
}

/**
 * Returns the URL that ends the session at the provider. Returns undefined if the session did not begin there, if the
 * provider has no such URL, or if the provider is unreachable.
 */
export async function endSessionUrl(
  { db, secrets, provider }: { db: Database; secrets: Secrets; provider: Provider },
  { personId, id }: Pick<Session, 'personId' | 'id'>,
): Promise<string | undefined> {
  const encrypted = await findIdToken(db, { personId, id })
  if (encrypted === undefined) return undefined
  const idToken = secrets.decrypt(ownerOf(personId, id), encrypted).toString()
  // The user must be able to sign out even if the provider is unreachable.
  return provider.endSessionUrl(idToken).catch(() => undefined)
}

const ownerOf = (personId: string, sessionId: string): SecretOwner => ({
  accountId: personId,
  key: `session ${sessionId}`,
})
