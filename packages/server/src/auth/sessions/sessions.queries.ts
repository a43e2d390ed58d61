import { type Database, query } from '../../db/database.ts'

export interface SessionRow {
  id: string
  account_id: string
  email: string
  token: string
  updated: Date
}

/** As with access keys, requests name a token but no account. Disabled users' sessions are invalid. */
export function selectSessions(db: Database, tokens: readonly string[], now: Date): Promise<SessionRow[]> {
  return query<SessionRow>(
    db,
    `select session.id, account_id, email, token, session.updated
     from session join account on account.id = account_id where token = any($1) and expires > $2 and account.disabled is null`,
    [tokens, now],
  )
}

export async function hasSession(db: Database, accountId: string, id: string, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('session')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('expires', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns when the session's user last authenticated. */
export async function readConfirmed(db: Database, accountId: string, id: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('session')
    .select(['created', 'confirmed'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && (row.confirmed ?? row.created)
}

export async function confirmSession(
  db: Database,
  { accountId, id }: { accountId: string; id: string },
  now: Date,
): Promise<void> {
  await db
    .updateTable('session')
    .set({ confirmed: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Returns false if another process has just renewed the session. */
export async function renewSession(
  db: Database,
  { accountId, id }: { accountId: string; id: string },
  times: { usedBefore: Date; now: Date; expires: Date },
): Promise<boolean> {
  const result = await db
    .updateTable('session')
    .set({ updated: times.now, expires: times.expires })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('updated', '<', times.usedBefore)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export interface ListedSession {
  id: string
  created: Date
  updated: Date
  expires: Date
  address: string | null
  agent: string | null
}

/** Returns the most recently used sessions first. */
export function listSessions(db: Database, accountId: string, now: Date): Promise<ListedSession[]> {
  return db
    .selectFrom('session')
    .select(['id', 'created', 'updated', 'expires', 'address', 'agent'])
    .where('account_id', '=', accountId)
    .where('expires', '>', now)
    .orderBy('updated', 'desc')
    .orderBy('id')
    .limit(1_000)
    .execute()
}

/** Deletes one, all but one, or all of the account's sessions. Returns the number of deleted sessions. */
export async function deleteSessions(
  db: Database,
  accountId: string,
  which: { id: string } | { butId: string } | 'all',
): Promise<number> {
  let statement = db.deleteFrom('session').where('account_id', '=', accountId)
  if (which !== 'all') {
    statement = 'id' in which ? statement.where('id', '=', which.id) : statement.where('id', '<>', which.butId)
  }
  return Number((await statement.executeTakeFirst()).numDeletedRows)
}
