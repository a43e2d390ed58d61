import { type Database, query } from '../../db/database.ts'

export interface StoredPassword {
  accountId: string
  passwordHash: string | null
  isDisabled: boolean
}

/** By the index that keeps addresses apart, case aside. */
export async function findPassword(db: Database, email: string): Promise<StoredPassword | undefined> {
  const [row] = await query<StoredPassword>(
    db,
    `select id as "accountId", password_hash as "passwordHash", disabled is not null as "isDisabled"
     from account where lower(email) = lower($1::text collate "C")`,
    [email],
  )
  return row
}

/**
 * The same account, which nobody else changes until the transaction ends. Nobody begins a session of it meanwhile either: whoever does waits,
 * and is to look again then whether what let them in still holds.
 */
export async function lockAccount(transaction: Database, email: string): Promise<string | undefined> {
  const [row] = await query<{ id: string }>(
    transaction,
    `select id from account where lower(email) = lower($1::text collate "C") for update`,
    [email],
  )
  return row?.id
}

export interface SignedInUser {
  id: string
  email: string
  name: string | null
  hasTotp: boolean
  passkeys: number
}

export async function findSignedInUser(db: Database, accountId: string): Promise<SignedInUser | undefined> {
  const [row] = await query<SignedInUser>(
    db,
    `select id, email, name, totp_enabled as "hasTotp",
       (select count(*)::int from passkey where account_id = account.id) as passkeys
     from account where id = $1`,
    [accountId],
  )
  return row
}

export async function updateName(db: Database, accountId: string, name: string | null): Promise<void> {
  await db.updateTable('account').set({ name, updated: new Date() }).where('id', '=', accountId).execute()
}

export async function updatePassword(db: Database, accountId: string, passwordHash: string): Promise<void> {
  await db
    .updateTable('account')
    .set({ password_hash: passwordHash, updated: new Date() })
    .where('id', '=', accountId)
    .execute()
}

/** Sign-ins of the account that are half-way, and browsers that it asks for no code. */
export async function deleteSteps(db: Database, accountId: string): Promise<void> {
  await db.deleteFrom('sign_in_step').where('value', '=', accountId).execute()
}

/** The subject's tries in its present window, this one counted. */
export async function countTry(
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

/** Takes back one try of each; locks them in one order, so that no two sign-ins wait for each other. */
export async function forgiveTries(db: Database, subjects: readonly string[]): Promise<void> {
  await query(
    db,
    `with locked as (select subject from sign_in_tries where subject = any($1) order by subject for update)
     update sign_in_tries as present set tries = tries - 1 from locked where present.subject = locked.subject and tries > 0`,
    [subjects],
  )
}

/** A bounded number of what is over; the next run takes more. */
export async function deleteExpiredSignIns(db: Database, now: Date): Promise<void> {
  for (const [table, column, key] of [
    ['session', 'expires', 'token'],
    ['sign_in_step', 'expires', 'id'],
    ['sign_in_tries', 'ends', 'subject'],
  ]) {
    await query(
      db,
      `delete from ${table} where ${key} in
         (select ${key} from ${table} where ${column} < $1 order by ${column} limit 5000 for update skip locked)`,
      [now],
    )
  }
}
