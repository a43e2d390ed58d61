import { ApiError, badInput, notFound, signInRequired } from '../../../errors.ts'
import { namesIn } from '../../../permissions.ts'
import { type AuthRequest, defineCalls, signedIn } from '../auth-call.ts'
import { notAMember, type Session, viewerOf } from '../sessions.ts'
import { attemptSubject } from '../sign-in/attempt-limits.ts'
import { assertRecentSignIn } from '../sign-in/recent-sign-in.ts'
import { hashToken, newToken } from '../tokens.ts'
import {
  approveRequest,
  type CommandLineRequest,
  denyRequest,
  findOpenRequest,
  type Named,
} from './command-line.queries.ts'
import { readUserCode } from './user-code.ts'

const names = ['request', 'code']

export const commandLineCalls = defineCalls({
  'POST /cli/request': { takes: names, handle: signedIn(describe) },
  'POST /cli/approve': { takes: [...names, 'account'], handle: signedIn(approve) },
  'POST /cli/deny': { takes: names, handle: signedIn(deny) },
})

async function describe(call: AuthRequest, session: Session): Promise<object> {
  const { machine, address, expires } = await find(call, session, nameOf(call))
  const accounts = session.accounts.map(({ id, email, role, roleName, permissions, restriction, requiredSignIn }) => ({
    ...{ id, email, role, roleName, requiredSignIn },
    permissions: namesIn(permissions),
    isRestricted: restriction !== undefined,
  }))
  return { request: { machine, address, expires }, accounts }
}

async function approve(call: AuthRequest, session: Session): Promise<object> {
  const { db, clock, config, fields } = call
  const [named, accountId] = [nameOf(call), fields.text('account')]
  const { port } = await find(call, session, named)
  const account = session.accounts.find(({ id }) => id === accountId)
  if (account === undefined) throw notAMember()
  if (account.requiredSignIn !== null) throw signInRequired(account.requiredSignIn)
  const viewer = viewerOf(session, account)
  await assertRecentSignIn({ ...call, signIn: config.signIn }, viewer)
  const expires = await call.commandLineKeys.expiryIn(viewer)
  const code = port === null ? null : newToken()
  const approval = {
    ...{ accountId, personId: session.personId, sessionId: session.id },
    codeHash: code === null ? null : hashToken(code),
  }
  if (!(await approveRequest(db, named, clock(), approval))) throw alreadyDecided()
  return { expires, ...(code !== null && { redirect: `http://127.0.0.1:${port}/?code=${code}` }) }
}

async function deny(call: AuthRequest, session: Session): Promise<object> {
  const named = nameOf(call)
  const { port } = await find(call, session, named)
  if (!(await denyRequest(call.db, named, call.clock()))) throw alreadyDecided()
  return port === null ? {} : { redirect: `http://127.0.0.1:${port}/?error=denied` }
}

/**
 * Throws NOT_FOUND, and counts a failed attempt to sign in, if no open request has the ID or code. Throws RATE_LIMITED
 * after too many failed attempts.
 */
async function find(call: AuthRequest, { personId }: Session, named: Named): Promise<CommandLineRequest> {
  const { db, clock, attempts } = call
  const subjects = [attemptSubject.address(call.addressOf(call.request.raw)), attemptSubject.person(personId)]
  await attempts.count(subjects)
  const found = await findOpenRequest(db, named, clock())
  if (found === undefined) throw notFound('open sign-in request', 'id' in named ? named.id : named.userCode)
  await attempts.forgive(subjects)
  return found
}

function nameOf({ fields }: AuthRequest): Named {
  const [id, code] = [fields.optionalText('request'), fields.optionalText('code')]
  if (id !== undefined && code === undefined && /^[0-9a-f]{64}$/.test(id)) return { id }
  if (id === undefined && code !== undefined) return { userCode: readUserCode(code) }
  throw badInput(
    'the body must contain either request (64 hexadecimal digits from the link) or code (eight letters, such as BCDF-GHJK)',
  )
}

const alreadyDecided = (): ApiError =>
  new ApiError(
    'CONFLICT',
    'the sign-in request was already approved or denied, or has expired: run "muster login" again',
  )
