import { type Database, query } from '../../db/database.ts'

export interface SessionRow {
  id: string
  person_id: string
  email: string
  token: string
  updated: Date
  last_account: string | null
  memberships: MembershipRow[]
}

/** An enabled account that the person of a session is a member of. */
export interface MembershipRow {
  account: string
  /** The e-mail address of the account. */
  email: string
  role: string
  /** The permissions of a custom role. */
  permissions: string[] | null
}

/**
 * As with access keys, requests name a token but no account. Disabled people's sessions are invalid. The memberships are in the
 * order in which the person joined.
 */
export function selectSessions(db: Database, tokens: readonly string[], now: Date): Promise<SessionRow[]> {
  return query<SessionRow>(
    db,
    `select session.id, person.id as person_id, person.email, token, session.updated, last_account,
       (select coalesce(jsonb_agg(jsonb_build_object('account', account.id, 'email', coalesce(contact_email, account.email),
              'role', role_id, 'permissions', role.permissions) order by membership.created, account.id), '[]')
          from membership join account on account.id = membership.account_id
            left join role on role.account_id = membership.account_id and role.id = role_id
          where person_id = person.id and account.disabled is null) as memberships
     from session join person on person.id = account_id where token = any($1) and expires > $2 and person.disabled is null`,
    [tokens, now],
  )
}

/** Whether the session exists and its person is a member of the account. */
export async function hasSession(db: Database, accountId: string, id: string, now: Date): Promise<boolean> {
  const rows = await query(
    db,
    `select from membership join account on account.id = membership.account_id
       join person on person.id = person_id join session on session.account_id = person_id
     where membership.account_id = $1 and session.id = $2 and expires > $3
       and account.disabled is null and person.disabled is null`,
    [accountId, id, now],
  )
  return rows.length > 0
}

/** Returns when the session's user last authenticated. */
export async function readConfirmed(db: Database, personId: string, id: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('session')
    .select(['created', 'confirmed'])
    .where('account_id', '=', personId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && (row.confirmed ?? row.created)
}

export async function confirmSession(
  db: Database,
  { personId, id }: { personId: string; id: string },
  now: Date,
): Promise<void> {
  await db
    .updateTable('session')
    .set({ confirmed: now })
    .where('account_id', '=', personId)
    .where('id', '=', id)
    .execute()
}

/** Returns false if another process has just renewed the session. */
export async function renewSession(
  db: Database,
  { personId, id }: { personId: string; id: string },
  times: { usedBefore: Date; now: Date; expires: Date },
): Promise<boolean> {
  const result = await db
    .updateTable('session')
    .set({ updated: times.now, expires: times.expires })
    .where('account_id', '=', personId)
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
export function listSessions(db: Database, personId: string, now: Date): Promise<ListedSession[]> {
  return db
    .selectFrom('session')
    .select(['id', 'created', 'updated', 'expires', 'address', 'agent'])
    .where('account_id', '=', personId)
    .where('expires', '>', now)
    .orderBy('updated', 'desc')
    .orderBy('id')
    .limit(1_000)
    .execute()
}

/** Deletes one, all but one, or all of the person's sessions. Returns the number of deleted sessions. */
export async function deleteSessions(
  db: Database,
  personId: string,
  which: { id: string } | { butId: string } | 'all',
): Promise<number> {
  let statement = db.deleteFrom('session').where('account_id', '=', personId)
  if (which !== 'all') {
    statement = 'id' in which ? statement.where('id', '=', which.id) : statement.where('id', '<>', which.butId)
  }
  return Number((await statement.executeTakeFirst()).numDeletedRows)
}
