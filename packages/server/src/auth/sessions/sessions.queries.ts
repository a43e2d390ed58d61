import { type Database, query } from '../../db/database.ts'
import type { StoredRestriction } from '../../restriction.ts'
import { deleteLinkAttempts } from './single-sign-on/sso-attempts.queries.ts'

export interface NewSession {
  id: string
  token: string
  personId: string
  address: string
  agent: string
  created: Date
  expires: Date
  /** When the session ends even if it is in use. Null if use extends the session. */
  ends: Date | null
  method: string
}

/** Waits for a concurrent transaction that has locked the person, such as one that disables the person. */
export async function insertSession(db: Database, session: NewSession): Promise<void> {
  const { id, token, personId, address, agent, created, expires, ends, method } = session
  await db
    .insertInto('session')
    .values({
      ...{ account_id: personId, id, token, address, agent, method, ends },
      ...{ created, updated: created, expires },
    })
    .execute()
}

export interface SessionRow {
  id: string
  person_id: string
  email: string
  token: string
  updated: Date
  method: string | null
  /** When the session ends even if it is in use; null if use extends the session. */
  ends: Date | null
  last_account: string | null
  memberships: MembershipRow[]
}

/** An enabled account that the person of a session is a member of. */
export interface MembershipRow {
  account: string
  email: string
  founderEmail: string
  role: string
  /** The name of a custom role. Null for a built-in role. */
  roleName: string | null
  /** A custom role's permissions. Null for a built-in role. */
  permissions: string[] | null
  restriction: StoredRestriction | null
  signInPolicy: string | null
  /** When the person last used the account, in ISO 8601. */
  lastUsed: string | null
}

/**
 * Finds sessions by token, because a request with a session cookie need not name an account. Omits expired sessions and
 * the sessions of disabled people. The memberships are in the order in which the person joined.
 */
export function selectSessions(db: Database, tokens: readonly string[], now: Date): Promise<SessionRow[]> {
  return query<SessionRow>(
    db,
    `with found as materialized (
       select session.id, person.id as person_id, person.email, token, session.updated, method, ends, last_account
       from session join person on person.id = account_id
       where token = any($1) and expires > $2 and (ends is null or ends > $2) and person.disabled is null
     ), joined as (
       select person_id, jsonb_agg(jsonb_build_object('account', account.id,
           'email', coalesce(contact_email, account.email), 'founderEmail', account.email,
           'role', role_id, 'roleName', role.name, 'permissions', role.permissions, 'restriction', role.restriction,
           'signInPolicy', sign_in_policy, 'lastUsed', membership.last_used) order by membership.created, account.id)
           as memberships
       from membership join account on account.id = membership.account_id
         left join role on role.account_id = membership.account_id and role.id = role_id
       where person_id in (select person_id from found) and account.disabled is null group by person_id
     )
     select found.*, coalesce(memberships, '[]') as memberships
     from found left join joined on joined.person_id = found.person_id`,
    [tokens, now],
  )
}

export async function writeAccountUse(
  db: Database,
  { accountId, personId }: { accountId: string; personId: string },
  now: Date,
): Promise<void> {
  await query(db, 'update membership set last_used = $3 where account_id = $1 and person_id = $2', [
    accountId,
    personId,
    now,
  ])
  await query(db, 'update person set last_account = $2 where id = $1 and last_account is distinct from $2', [
    personId,
    accountId,
  ])
}

export interface SessionInAccount {
  accountId: string
  personId: string
  session: string
}

type SessionRole = Pick<MembershipRow, 'role' | 'permissions' | 'restriction' | 'signInPolicy'> &
  Pick<SessionRow, 'method'>

/** Returns null if the person is not a member or the account is disabled, and undefined if the session is not valid. */
export async function findSessionRole(
  db: Database,
  { accountId, personId, session }: SessionInAccount,
  now: Date,
): Promise<SessionRole | null | undefined> {
  const [row] = await query<Omit<SessionRole, 'role'> & { role: string | null }>(
    db,
    `select role_id as role, role.permissions, role.restriction, method, sign_in_policy as "signInPolicy"
     from session join person on person.id = session.account_id
       left join (membership join account on account.id = membership.account_id and account.disabled is null)
         on membership.account_id = $1 and person_id = person.id
       left join role on role.account_id = $1 and role.id = role_id
     where session.account_id = $2 and session.id = $3 and expires > $4 and (ends is null or ends > $4)
       and person.disabled is null`,
    [accountId, personId, session, now],
  )
  if (row === undefined) return undefined
  return row.role === null ? null : { ...row, role: row.role }
}

/**
 * Returns when the session's user last confirmed the sign-in or, if never, signed in. Returns undefined if the session
 * does not exist.
 */
export async function readConfirmed(db: Database, personId: string, id: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('session')
    .select(['created', 'confirmed'])
    .where('account_id', '=', personId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && (row.confirmed ?? row.created)
}

interface SessionId {
  personId: string
  id: string
}

export async function writeMethod(db: Database, { personId, id }: SessionId, method: string): Promise<void> {
  await db.updateTable('session').set({ method }).where('account_id', '=', personId).where('id', '=', id).execute()
}

export async function confirmSession(db: Database, { personId, id }: SessionId, now: Date): Promise<void> {
  await db
    .updateTable('session')
    .set({ confirmed: now })
    .where('account_id', '=', personId)
    .where('id', '=', id)
    .execute()
}

/** Returns false if the session has ended, or if another request has renewed it since `usedBefore`. */
export async function renewSession(
  db: Database,
  { personId, id }: SessionId,
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

/** Lists up to 1,000 sessions that have not expired, most recently used first. */
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

/**
 * Returns the number of deleted sessions. Also deletes the person's unfinished attempts to link an identity, because a
 * deleted session may have started them.
 */
export async function deleteSessions(
  db: Database,
  personId: string,
  which: { id: string } | { butId: string } | 'all',
): Promise<number> {
  await deleteLinkAttempts(db, personId)
  let statement = db.deleteFrom('session').where('account_id', '=', personId)
  if (which !== 'all') {
    statement = 'id' in which ? statement.where('id', '=', which.id) : statement.where('id', '<>', which.butId)
  }
  return Number((await statement.executeTakeFirst()).numDeletedRows)
}
