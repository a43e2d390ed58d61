import { notFound } from '../../errors.ts'
import { recordChange } from './audit/record-change.ts'
import { type AuthRequest, defineCalls, signedIn } from './auth-call.ts'
import { deleteSessions, type ListedSession, listSessions } from './sessions.queries.ts'
import { SESSION_SECONDS, type Session } from './sessions.ts'
import { deleteSteps, findSignedInUser } from './sign-in/sign-in.queries.ts'
import { isLinked } from './single-sign-on/single-sign-on.queries.ts'

export const sessionCalls = defineCalls({
  'GET /get-session': { handle: whoAmI },
  'GET /list-sessions': {
    handle: signedIn(async ({ db, clock }, { personId, id }) => {
      const listed = await listSessions(db, personId, clock())
      return { sessions: listed.map((each) => ({ ...shown(each), current: each.id === id })) }
    }),
  },
  'POST /revoke-session': {
    takes: ['id'],
    handle: signedIn(async (call, session) => {
      const { fields, cookies, cookie } = call
      const id = fields.text('id')
      if ((await revoke(call, session, { id })) === 0) throw notFound('session', id)
      if (id === session.id) cookies.push(...cookie.clear())
      return { revoked: 1 }
    }),
  },
  'POST /revoke-other-sessions': {
    handle: signedIn(async (call, session) => {
      await deleteSteps(call.db, session.personId)
      return { revoked: await revoke(call, session, { butId: session.id }) }
    }),
  },
  'POST /revoke-sessions': {
    handle: signedIn(async (call, session) => {
      await deleteSteps(call.db, session.personId)
      call.cookies.push(...call.cookie.clear())
      return { revoked: await revoke(call, session, 'all') }
    }),
  },
})

function revoke(call: AuthRequest, session: Session, which: Parameters<typeof deleteSessions>[2]): Promise<number> {
  return recordChange(call, session, {
    type: 'SESSION_REVOKE',
    work: (transaction) => deleteSessions(transaction, session.personId, which),
    data: (sessions) => (sessions === 0 ? null : { sessions }),
  })
}

async function whoAmI(call: AuthRequest): Promise<object> {
  const { db, clock, request, session, sessions, cookie, cookies, provider } = call
  if (session === undefined) {
    if (cookie.read(request.headers.cookie) !== undefined) cookies.push(...cookie.clear())
    return { user: null }
  }
  if (await sessions.renew(session)) cookies.push(...cookie.set(session.token, SESSION_SECONDS))
  const [user, listed, linked] = await Promise.all([
    findSignedInUser(db, session.personId),
    listSessions(db, session.personId, clock()),
    provider !== undefined && isLinked(db, session.personId, provider.issuer),
  ])
  const current = listed.find(({ id }) => id === session.id)
  if (user === undefined || current === undefined) return { user: null }
  const { id, email, name, hasPassword, hasTotp, passkeys } = user
  const ways = { password: hasPassword, totp: hasTotp, passkeys, singleSignOn: linked }
  return { user: { id, email, name }, session: shown(current), ...ways }
}

const shown = ({ id, created, updated, expires, address, agent }: ListedSession) => ({
  id,
  created,
  lastUsed: updated,
  expires,
  address,
  agent,
})
