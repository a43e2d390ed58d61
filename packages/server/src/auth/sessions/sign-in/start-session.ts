import { userDisabled } from '../../authentication-reasons.ts'
import type { AuthRequest, SignInMethod } from '../auth-call.ts'
import { agentOf } from '../forward.ts'
import { deleteSessions, insertSession } from '../sessions.queries.ts'
import { newToken } from '../tokens.ts'
import { endFormerSession } from './complete-sign-in.ts'

export interface StartedSession {
  method: SignInMethod
  seconds: number
  /** Whether the session ends after `seconds` even if it is in use. */
  isFixed: boolean
}

/** The caller must have checked the person's credentials. Throws if the person is disabled. */
export async function startSession(
  call: AuthRequest,
  personId: string,
  { method, seconds, isFixed }: StartedSession,
): Promise<void> {
  const { db, clock, cookies, cookie } = call
  const created = clock()
  const [address, agent] = [call.addressOf(call.request.raw), agentOf(call.request)]
  const expires = new Date(created.getTime() + seconds * 1_000)
  const [id, token] = [newToken(), newToken()]
  const ends = isFixed ? expires : null
  await insertSession(db, { id, token, personId, address, agent, created, expires, ends, method })
  // The insertion waits for any transaction that disables the person, so the check must come after the insertion.
  const found = await call.sessions.find(token)
  if (found === undefined) throw userDisabled()
  try {
    await call.onSignIn({ personId, email: found.email, address, agent, method })
  } catch (error) {
    await deleteSessions(db, personId, { id })
    throw error
  }
  await endFormerSession(call)
  cookies.push(...cookie.set(token, seconds))
}
