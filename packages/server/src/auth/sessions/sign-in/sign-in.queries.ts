import { type Database, query } from '../../../db/database.ts'

export interface StoredPassword {
  personId: string
  passwordHash: string | null
  isDisabled: boolean
}

/** Finds a user's password hash. The condition matches the case-insensitive unique index on email addresses. */
export async function findPassword(db: Database, email: string): Promise<StoredPassword | undefined> {
  const [row] = await query<StoredPassword>(
    db,
    `select id as "personId", password_hash as "passwordHash", disabled is not null as "isDisabled"
     from person where lower(email) = lower($1::text collate "C") and removed is null`,
    [email],
  )
  return row
}

/**
 * Locks the person with this email address until the transaction ends. Returns the person's ID, or undefined if there
 * is no such person. Sign-ins wait for the lock, and must then check that their credentials are still valid.
 */
export async function lockPerson(transaction: Database, email: string): Promise<string | undefined> {
  const [row] = await query<{ id: string }>(
    transaction,
    `select id from person where lower(email) = lower($1::text collate "C") and removed is null for update`,
    [email],
  )
  return row?.id
}

export interface SignedInUser {
  id: string
  email: string
  name: string | null
  hasPassword: boolean
  hasTotp: boolean
  passkeys: number
  /** How many identities of single sign-on are linked to the person. */
  identities: number
}

export async function findSignedInUser(db: Database, personId: string): Promise<SignedInUser | undefined> {
  const [row] = await query<SignedInUser>(
    db,
    `select id, email, name, password_hash is not null as "hasPassword", totp_enabled as "hasTotp",
       (select count(*)::int from passkey where account_id = person.id) as passkeys,
       (select count(*)::int from person_identity where person_id = person.id) as identities
     from person where id = $1`,
    [personId],
  )
  return row
}

/** Changes the name of a person and of the account that the person founded. Call this in a transaction. */
export async function updateName(transaction: Database, personId: string, name: string | null): Promise<void> {
  await transaction.updateTable('person').set({ name, updated: new Date() }).where('id', '=', personId).execute()
  await query(transaction, 'update account set name = $2 where id = $1 and name is distinct from $2', [personId, name])
}

export async function updatePassword(db: Database, personId: string, passwordHash: string): Promise<void> {
  await db
    .updateTable('person')
    .set({ password_hash: passwordHash, updated: new Date() })
    .where('id', '=', personId)
    .execute()
}

/** A person's link for signing in or for setting a new password. A link works once. */
export interface Link {
  /** The SHA-256 hash of the link's token. */
  id: string
  kind: 'link' | 'password-link'
}

export async function insertLink(
  db: Database,
  { id, kind, personId, expires }: Link & { personId: string; expires: Date },
): Promise<void> {
  await db
    .insertInto('sign_in_step')
    .values({ id, identifier: `${kind} ${id}`, value: personId, expires })
    .execute()
}

/** Returns the ID of the person that the link is for, or undefined if the link is not valid. */
export async function findLink(db: Database, { id, kind }: Link, now: Date): Promise<string | undefined> {
  const [row] = await query<{ personId: string }>(
    db,
    `select value as "personId" from sign_in_step where id = $1 and identifier = $2::text || ' ' || $1 and expires > $3`,
    [id, kind, now],
  )
  return row?.personId
}

/**
 * Deletes a valid link, because a link must work only once. Returns the ID of the link's person, or undefined if the
 * link is not valid.
 */
export async function takeLink(db: Database, { id, kind }: Link, now: Date): Promise<string | undefined> {
  const [row] = await query<{ personId: string }>(
    db,
    `delete from sign_in_step where id = $1 and identifier = $2::text || ' ' || $1 and expires > $3
     returning value as "personId"`,
    [id, kind, now],
  )
  return row?.personId
}

/** Stores the challenge of a passkey that has not been created yet. `id` is the SHA-256 hash of the challenge. */
export async function insertChallenge(
  db: Database,
  { id, purpose, expires }: { id: string; purpose: string; expires: Date },
): Promise<void> {
  await db
    .insertInto('sign_in_step')
    .values({ id, identifier: `challenge ${id}`, value: purpose, expires })
    .execute()
}

/** Deletes a challenge if it is valid for the purpose, because it must work only once. Returns whether it was valid. */
export async function takeChallenge(
  db: Database,
  { id, purpose }: { id: string; purpose: string },
  now: Date,
): Promise<boolean> {
  const rows = await query(
    db,
    `delete from sign_in_step where id = $1 and identifier = 'challenge ' || $1 and value = $2 and expires > $3
     returning id`,
    [id, purpose, now],
  )
  return rows.length > 0
}

/** Deletes the person's unfinished sign-ins, links, and trusted browsers. */
export async function deleteSteps(db: Database, personId: string): Promise<void> {
  await db.deleteFrom('sign_in_step').where('value', '=', personId).execute()
}

export async function countAttempt(
  db: Database,
  subject: string,
  { now, ends }: { now: Date; ends: Date },
): Promise<{ tries: number; ends: Date }> {
  const [row] = await query<{ tries: number; ends: Date }>(
    db,
    `insert into sign_in_tries as present (subject, tries, ends) values ($1, 1, $3)
     on conflict (subject) do update set
       tries = case when present.ends <= $2 then 1 else present.tries + 1 end,
       ends = case when present.ends <= $2 then excluded.ends else present.ends end
     returning tries, ends`,
    [subject, now, ends],
  )
  return row!
}

/** Subtracts one attempt from each subject's count. Locks the rows in a fixed order to avoid deadlocks. */
export async function forgiveAttempts(db: Database, subjects: readonly string[]): Promise<void> {
  await query(
    db,
    `with locked as (select subject from sign_in_tries where subject = any($1) order by subject for update)
     update sign_in_tries as present set tries = tries - 1 from locked where present.subject = locked.subject and tries > 0`,
    [subjects],
  )
}

/** Deletes at most 5,000 expired rows from each table for sign-ins. The next run deletes more. */
export async function deleteExpiredSignIns(db: Database, now: Date): Promise<void> {
  for (const [table, column, key] of [
    ['session', 'expires', 'token'],
    ['sign_in_step', 'expires', 'id'],
    ['sign_in_tries', 'ends', 'subject'],
    ['sso_attempt', 'expires', 'id'],
    ['command_line_request', 'expires', 'id'],
  ]) {
    await query(
      db,
      `delete from ${table} where ${key} in
         (select ${key} from ${table} where ${column} < $1 order by ${column} limit 5000 for update skip locked)`,
      [now],
    )
  }
}
