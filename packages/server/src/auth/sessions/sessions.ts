import type { Database } from '../../db/database.ts'
import { ApiError, signInRequired } from '../../errors.ts'
import { batched } from '../../lib/batched.ts'
import { boundedMap } from '../../lib/bounded-map.ts'
import { includes, streamPermissions } from '../../permissions.ts'
import { accessOfRole, isSameRestriction, type Restriction, restrictionOf } from '../../restriction.ts'
import { type RequiredSignIn, requiredSignIn, toPolicy } from '../../sign-in-policy.ts'
import type { Viewer } from '../../viewer.ts'
import { sessionError } from '../authentication-reasons.ts'
import {
  findSessionRole,
  renewSession,
  type SessionInAccount,
  type SessionRow,
  selectSessions,
  writeAccountUse,
} from './sessions.queries.ts'

export const SESSION_SECONDS = 30 * 86_400
const RENEWED_EVERY_MS = 3_600_000
/**
 * How long the result of a session check is cached, in milliseconds. The server checks open streams more often, so most
 * of these checks use the cached result.
 */
const CHECK_EVERY_MS = 400
const CHECKED_SESSIONS = 10_000

export interface WorkingAccount {
  readonly id: string
  readonly email: string
  readonly founderEmail: string
  readonly role: string
  /** The name of a custom role, or the ID of a built-in role. */
  readonly roleName: string
  readonly permissions: number
  readonly restriction: Restriction | undefined
  readonly lastUsed: Date | null
  /** How the person must sign in to work in the account; null if the current sign-in is enough. */
  readonly requiredSignIn: RequiredSignIn | null
}

export interface Session {
  readonly id: string
  readonly personId: string
  readonly email: string
  readonly token: string
  readonly lastUsed: Date
  /** How the person signed in; null if that was not recorded. */
  readonly method: string | null
  /** Whether the session ends at a fixed time, even if it is in use. */
  readonly isFixed: boolean
  /** The enabled accounts that the person is a member of, in the order in which the person joined them. */
  readonly accounts: readonly WorkingAccount[]
  readonly lastAccount: string | null
}

/** Reads sessions from the database for each request, so the end of a session takes effect in every process. */
export interface Sessions {
  find(token: string): Promise<Session | undefined>
  /**
   * Extends a session to 30 days from now, at most once an hour, unless its end is fixed. Returns whether it extended
   * the session.
   */
  renew(session: Session): Promise<boolean>
  /**
   * Returns the account with the ID `named`. Without an ID, returns the last used account or, if there is none, the
   * account joined first. Returns undefined for a person without an enabled account. Throws FORBIDDEN if the person is
   * not a member of the named account or the account is disabled. If the session meets the account's sign-in policy,
   * records the use of the account. For the last used account, does so at most once an hour.
   */
  chooseAccount(session: Session, named: string | undefined): Promise<WorkingAccount | undefined>
  /** Returns why the viewer's streams must end, or undefined if they can continue. The result is up to 400 ms old. */
  rejectionOf(viewer: Viewer): Promise<ApiError | undefined>
}

export function createSessions(db: Database, clock: () => Date): Sessions {
  const read = batched(async (tokens: string[]) => {
    const rows = await selectSessions(db, tokens, clock())
    return new Map(rows.map((row) => [row.token, toSession(row)]))
  })
  const checks = boundedMap<string, { at: number; role: ReturnType<typeof findSessionRole> }>(CHECKED_SESSIONS)

  const check = (place: SessionInAccount): ReturnType<typeof findSessionRole> => {
    const at = performance.now()
    const key = `${place.accountId} ${place.session}`
    const before = checks.get(key)
    if (before !== undefined && at - before.at < CHECK_EVERY_MS) return before.role
    const role = findSessionRole(db, place, clock())
    checks.set(key, { at, role })
    return role
  }

  return {
    find: read,
    async renew(session) {
      const now = clock()
      const usedBefore = new Date(now.getTime() - RENEWED_EVERY_MS)
      if (session.isFixed || session.lastUsed >= usedBefore) return false
      const expires = new Date(now.getTime() + SESSION_SECONDS * 1_000)
      return renewSession(db, session, { usedBefore, now, expires })
    },
    async chooseAccount(session, named) {
      const account = accountOf(session, named)
      if (account === undefined && named !== undefined) throw notAMember()
      if (account === undefined || account.requiredSignIn !== null) return account
      const now = clock()
      const usedBefore = now.getTime() - RENEWED_EVERY_MS
      const isRecorded = account.lastUsed !== null && account.lastUsed.getTime() >= usedBefore
      if (!isRecorded || account.id !== session.lastAccount)
        await writeAccountUse(db, { accountId: account.id, personId: session.personId }, now)
      return account
    },
    async rejectionOf({ accountId, personId = accountId, session, permissions = 0, restriction }) {
      if (session === undefined) return undefined
      const present = grantOf(await check({ accountId, personId, session }))
      if (present instanceof ApiError) return present
      const isSame = isSameRestriction(present.restriction, restriction)
      return isSame && includes(present.permissions, permissions & streamPermissions) ? undefined : roleChanged()
    },
  }
}

/** Does not reveal to a person who is not a member whether the account exists. */
export const notAMember = (): ApiError =>
  new ApiError(
    'FORBIDDEN',
    'the account does not exist or is disabled, or you are not a member of it: choose another account',
    { reason: 'not-a-member' },
  )

const roleChanged = (): ApiError =>
  new ApiError('FORBIDDEN', 'your role has changed, so the stream has ended: subscribe again', {
    reason: 'permission',
  })

/** Returns undefined if `getSessionGrant` would throw. */
export async function findSessionGrant(
  { db, clock }: { db: Database; clock: () => Date },
  place: SessionInAccount,
): Promise<SessionGrant | undefined> {
  const grant = grantOf(await findSessionRole(db, place, clock()))
  return grant instanceof ApiError ? undefined : grant
}

/** Returns the session's access to the account, or throws the error that a request in the account would receive. */
export async function getSessionGrant(
  { db, clock }: { db: Database; clock: () => Date },
  place: SessionInAccount,
): Promise<SessionGrant> {
  const grant = grantOf(await findSessionRole(db, place, clock()))
  if (grant instanceof ApiError) throw grant
  return grant
}

function grantOf(found: Awaited<ReturnType<typeof findSessionRole>>): SessionGrant | ApiError {
  if (found === undefined) return sessionError('session-ended')
  if (found === null) return notAMember()
  const required = requiredSignIn(toPolicy(found.signInPolicy), found.method)
  if (required !== null) return signInRequired(required)
  const access = accessOfRole(found.role, found)
  return { permissions: access.permissions, restriction: restrictionOf(access) }
}

export type SessionGrant = Pick<WorkingAccount, 'permissions' | 'restriction'>

function accountOf({ accounts, lastAccount }: Session, named: string | undefined): WorkingAccount | undefined {
  if (named !== undefined) return accounts.find(({ id }) => id === named)
  return accounts.find(({ id }) => id === lastAccount) ?? accounts[0]
}

/**
 * Returns a session's viewer. If the person is not a member of any enabled account, the viewer's account ID is empty.
 * The ID is also empty if the account requires another way to sign in. No query then finds any account's data.
 */
export function viewerOf(session: Session, chosen = accountOf(session, undefined)): Viewer {
  const required = chosen?.requiredSignIn ?? null
  return required === null ? viewerIn(session, chosen) : { ...viewerIn(session, undefined), requiredSignIn: required }
}

const viewerIn = (session: Session, account: WorkingAccount | undefined): Viewer => ({
  accountId: account?.id ?? '',
  email: account?.email ?? session.email,
  ...(account && { founderEmail: account.founderEmail }),
  personId: session.personId,
  session: session.id,
  signInMethod: session.method,
  permissions: account?.permissions ?? 0,
  restriction: account?.restriction,
  isOwner: account?.role === 'owner',
  readOnly: false,
})

const toSession = (row: SessionRow): Session => ({
  id: row.id,
  personId: row.person_id,
  email: row.email,
  token: row.token,
  lastUsed: row.updated,
  method: row.method,
  isFixed: row.ends !== null,
  lastAccount: row.last_account,
  accounts: row.memberships.map((each) => {
    const access = accessOfRole(each.role, each)
    return {
      id: each.account,
      email: each.email,
      founderEmail: each.founderEmail,
      role: each.role,
      roleName: each.roleName ?? each.role,
      permissions: access.permissions,
      restriction: restrictionOf(access),
      lastUsed: each.lastUsed === null ? null : new Date(each.lastUsed),
      requiredSignIn: requiredSignIn(toPolicy(each.signInPolicy), row.method),
    }
  }),
})
