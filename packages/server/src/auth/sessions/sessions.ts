import type { Database } from '../../db/database.ts'
import type { ApiError } from '../../errors.ts'
import { batched } from '../../lib/batched.ts'
import { boundedMap } from '../../lib/bounded-map.ts'
import type { Viewer } from '../../viewer.ts'
import { sessionRefusal } from '../reasons.ts'
import { hasSession, renewSession, type SessionRow, selectSessions } from './sessions.queries.ts'

export const SESSION_SECONDS = 30 * 86_400
const RENEWED_EVERY_MS = 3_600_000
/** Open streams ask again and again: an answer serves for so long. */
const LOOK_EVERY_MS = 400
const LOOKED_AT = 10_000

/** Somebody who is signed in. */
export interface Session {
  readonly id: string
  readonly accountId: string
  readonly email: string
  readonly token: string
  readonly lastUsed: Date
}

/** Sessions as the database has them at the moment: nothing of them is kept, so that an ended one is ended everywhere. */
export interface Sessions {
  find(token: string): Promise<Session | undefined>
  /** Lets a session that is used last for another 30 days; written once an hour. Whether it was. */
  renew(session: Session): Promise<boolean>
  /** Why a viewer who was let in by a session would be refused now. Half a second old at most. */
  refusalOf(viewer: Viewer): Promise<ApiError | undefined>
}

export function createSessions(db: Database, clock: () => Date): Sessions {
  const read = batched(async (tokens: string[]) => {
    const rows = await selectSessions(db, tokens, clock())
    return new Map(rows.map((row) => [row.token, toSession(row)]))
  })
  const looks = boundedMap<string, { at: number; isThere: Promise<boolean> }>(LOOKED_AT)

  const look = (accountId: string, session: string): Promise<boolean> => {
    const at = performance.now()
    const before = looks.get(session)
    if (before !== undefined && at - before.at < LOOK_EVERY_MS) return before.isThere
    const isThere = hasSession(db, accountId, session, clock())
    looks.set(session, { at, isThere })
    return isThere
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
    async refusalOf({ accountId, session }) {
      if (session === undefined || (await look(accountId, session))) return undefined
      return sessionRefusal('session-ended')
    },
  }
}

/** For what a session asked for and is fetched without its cookie. */
export const isSessionAlive = (
  { db, clock }: { db: Database; clock: () => Date },
  { accountId, session }: { accountId: string; session: string },
): Promise<boolean> => hasSession(db, accountId, session, clock())

/** What somebody who is signed in may do. */
export const viewerOf = ({ accountId, email, id }: Session): Viewer => ({
  accountId,
  email,
  session: id,
  readOnly: false,
})

const toSession = ({ id, account_id, email, token, updated }: SessionRow): Session => ({
  id,
  accountId: account_id,
  email,
  token,
  lastUsed: updated,
})
