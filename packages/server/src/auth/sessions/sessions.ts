import { permissionsOfRole } from '../../access.ts'
import type { Database } from '../../db/database.ts'
import type { ApiError } from '../../errors.ts'
import { batched } from '../../lib/batched.ts'
import { boundedMap } from '../../lib/bounded-map.ts'
import type { Viewer } from '../../viewer.ts'
import { sessionError } from '../rejection-reasons.ts'
import { hasSession, renewSession, type SessionRow, selectSessions } from './sessions.queries.ts'

export const SESSION_SECONDS = 30 * 86_400
const RENEWED_EVERY_MS = 3_600_000
/** How long a check's result is cached, because open streams are checked often. */
const CHECK_EVERY_MS = 400
const CHECKED_SESSIONS = 10_000

/** The account that a session works in, and what its person may do there. */
export interface WorkingAccount {
  readonly id: string
  readonly email: string
  readonly role: string
  readonly permissions: number
}

/** A signed-in user's session. */
export interface Session {
  readonly id: string
  readonly personId: string
  /** The address of the person. */
  readonly email: string
  readonly token: string
  readonly lastUsed: Date
  /** The account that the session works in; undefined for a person who is a member of no account. */
  readonly account: WorkingAccount | undefined
}

/** Reads sessions from the database for each request, so that ending a session takes effect in every process. */
export interface Sessions {
  find(token: string): Promise<Session | undefined>
  /** Extends a session to 30 days from now, at most once an hour. Returns whether the session was extended. */
  renew(session: Session): Promise<boolean>
  /** Returns why a viewer with a session would be rejected now, if at all. The result may be up to half a second old. */
  rejectionOf(viewer: Viewer): Promise<ApiError | undefined>
}

export function createSessions(db: Database, clock: () => Date): Sessions {
  const read = batched(async (tokens: string[]) => {
    const rows = await selectSessions(db, tokens, clock())
    return new Map(rows.map((row) => [row.token, toSession(row)]))
  })
  const checks = boundedMap<string, { at: number; exists: Promise<boolean> }>(CHECKED_SESSIONS)

  const check = (accountId: string, session: string): Promise<boolean> => {
    const at = performance.now()
    const place = `${accountId} ${session}`
    const before = checks.get(place)
    if (before !== undefined && at - before.at < CHECK_EVERY_MS) return before.exists
    const exists = hasSession(db, accountId, session, clock())
    checks.set(place, { at, exists })
    return exists
  }

  return {
    find: read,
    async renew(session) {
      const now = clock()
      const usedBefore = new Date(now.getTime() - RENEWED_EVERY_MS)
      if (session.lastUsed >= usedBefore) return false
      const expires = new Date(now.getTime() + SESSION_SECONDS * 1_000)
      return renewSession(db, session, { usedBefore, now, expires })
    },
    async rejectionOf({ accountId, session }) {
      if (session === undefined || (await check(accountId, session))) return undefined
      return sessionError('session-ended')
    },
  }
}

/** For downloads that a session requested. The download itself is fetched without the session's cookie. */
export const isSessionAlive = (
  { db, clock }: { db: Database; clock: () => Date },
  { accountId, session }: { accountId: string; session: string },
): Promise<boolean> => hasSession(db, accountId, session, clock())

/** The account of a person who is a member of none is empty, so no query finds anything. */
export const viewerOf = ({ id, personId, email, account }: Session): Viewer => ({
  accountId: account?.id ?? '',
  email: account?.email ?? email,
  personId,
  session: id,
  permissions: account?.permissions ?? 0,
  isOwner: account?.role === 'owner',
  readOnly: false,
})

/** A session works in the account that the person used last, or else in the one that the person joined first. */
function toSession({ id, person_id, email, token, updated, last_account, memberships }: SessionRow): Session {
  const found = memberships.find(({ account }) => account === last_account) ?? memberships[0]
  const account = found && {
    id: found.account,
    email: found.email,
    role: found.role,
    permissions: permissionsOfRole(found.role, found.permissions),
  }
  return { id, personId: person_id, email, token, lastUsed: updated, account }
}
