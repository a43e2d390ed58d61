import type { Database } from '../../../db/database.ts'
import { assertText } from '../../../lib/string-checks.ts'
import { sessionError } from '../../authentication-reasons.ts'
import { type AuthRequest, defineCalls } from '../auth-call.ts'
import { agentOf } from '../forward.ts'
import { deleteSessions } from '../sessions.queries.ts'
import { attemptSubject } from '../sign-in/attempt-limits.ts'
import { createLink, linkOf, type OneTimeLink } from '../sign-in/one-time-link.ts'
import {
  deleteSteps,
  findLink,
  findSignedInUser,
  type Link,
  lockPerson,
  takeLink,
  updatePassword,
} from '../sign-in/sign-in.queries.ts'
import { hashPassword, readNewPassword } from './password.ts'

const LINK_SECONDS = 86_400
const TOKEN_LENGTH = 100

/** Creates a link with which a person can set a new password once. */
export const createPasswordLink = (db: Database, personId: string, now: Date): Promise<OneTimeLink> =>
  createLink(db, { kind: 'password-link', personId, expires: new Date(now.getTime() + LINK_SECONDS * 1_000) })

/** Sets a new password with a link that works once. Does not sign the person in. */
export const passwordLinkCalls = defineCalls({
  'POST /new-password': { usesPassword: true, takes: ['token', 'password'], handle: setPassword },
})

async function setPassword(call: AuthRequest): Promise<object> {
  const { db, fields, request } = call
  const token = fields.text('token')
  assertText(token, 'token', TOKEN_LENGTH)
  const password = readNewPassword(fields, 'password')
  const subjects = [attemptSubject.address(call.addressOf(request.raw))]
  await call.attempts.count(subjects)
  const link = linkOf('password-link', token)
  // Computing the hash is slow, so a guessed token must not trigger it.
  if ((await findLink(db, link, call.clock())) === undefined) throw sessionError('sign-in-link')
  const passwordHash = await hashPassword(password)
  await db.transaction().execute((transaction) => usePasswordLink(transaction, call, { link, passwordHash }))
  call.onRecorded()
  await call.attempts.forgive(subjects)
  return { changed: true }
}

/** Locks the person before using the link, because a concurrent reset locks the person, then deletes the links. */
async function usePasswordLink(
  transaction: Database,
  { clock, record, request, addressOf }: AuthRequest,
  { link, passwordHash }: { link: Link; passwordHash: string },
): Promise<void> {
  const personId = await findLink(transaction, link, clock())
  const user = personId === undefined ? undefined : await findSignedInUser(transaction, personId)
  // A removed person cannot use a link, because `lockPerson` does not find removed people.
  const isLocked = user !== undefined && (await lockPerson(transaction, user.email)) === user.id
  if (!isLocked || (await takeLink(transaction, link, clock())) === undefined) throw sessionError('sign-in-link')
  await updatePassword(transaction, user.id, passwordHash)
  await deleteSessions(transaction, user.id, 'all')
  await deleteSteps(transaction, user.id)
  const data = { address: addressOf(request.raw), agent: agentOf(request) }
  await record(transaction, { type: 'PASSWORD_CHANGE', personId: user.id, email: user.email, data })
}
