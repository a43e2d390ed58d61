import { sql } from 'kysely'
import { type Database, query } from '../../db/database.ts'
import type { UserDetails } from './user.ts'

export interface NewAccount {
  id: string
  email: string
  name: string | null
  passwordHash: string | null
}

/**
 * Inserts an account. Returns false if the email address is in use. The account's row also contains the password
 * hash, because servers of the previous release read it there.
 */
export async function insertAccount(db: Database, account: NewAccount): Promise<boolean> {
  const { id, email, name, passwordHash } = account
  const result = await db
    .insertInto('account')
    .values({ id, email, name, password_hash: passwordHash, founder_id: id })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export interface NewOwnedAccount {
  id: string
  email: string
  contactEmail: string
  name: string
  founderId: string
}

export async function insertOwnedAccount(db: Database, account: NewOwnedAccount): Promise<void> {
  const { id, email, contactEmail, name, founderId } = account
  await db
    .insertInto('account')
    .values({ id, email, contact_email: contactEmail, contact_name: name, founder_id: founderId })
    .execute()
}

export const contactColumns = `coalesce(account.contact_email, account.email) as email,
  case when account.contact_name is null then account.name else nullif(account.contact_name, '') end as name`

const contact = sql.raw(contactColumns)

export async function findAccount(db: Database, accountId: string): Promise<UserDetails | undefined> {
  const { rows } = await sql<UserDetails>`
    select id, ${contact}, created from account where id = ${accountId}`.execute(db)
  return rows[0]
}

/** Returns the installation's owner, which is the account that was created first, or undefined if no account exists. */
export async function findOwner(db: Database): Promise<Pick<UserDetails, 'id' | 'email'> | undefined> {
  return db.selectFrom('account').select(['id', 'email']).orderBy('created').orderBy('id').limit(1).executeTakeFirst()
}

export async function hasAccounts(db: Database): Promise<boolean> {
  const row = await db.selectFrom('account').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}

export interface UserSummary extends UserDetails {
  /** When the user was disabled. Null for an enabled user. */
  disabled: Date | null
  accounts: UserAccount[]
  signIn: SignInWay[]
  devices: number
  accessKeys: number
  sessions: number
  /** The later of the start of the latest session and the latest single sign-on. Null if neither is stored. */
  lastSignIn: Date | null
  /** The time of the latest use of a session or a personal access key, in any account. Null if no use is stored. */
  lastUsed: Date | null
}

export interface UserAccount {
  id: string
  email: string
  role: string
}

export type SignInWay = 'password' | 'code' | 'passkey' | 'single sign-on'

/**
 * Counts the devices of each account. A cluster rejects a correlated subquery for these counts, because `person` is a
 * reference table: all its rows are on every node.
 */
const counted = sql`counted as materialized (
  select account_id, sum(devices)::int as devices from device_count group by account_id)`

/** Selects all users. `devices` and `accessKeys` are the numbers in the user's own account, which has the user's ID. */
export async function selectUsers(db: Database): Promise<UserSummary[]> {
  const { rows } = await sql<UserSummary>`
    with ${counted}, joined as materialized (
      select person_id,
        jsonb_agg(jsonb_build_object('id', account.id, 'email', coalesce(contact_email, account.email),
          'role', coalesce(role.name, role_id)) order by membership.created, account.id) as accounts
      from membership join account on account.id = membership.account_id
        left join role on role.account_id = account.id and role.id = role_id
      group by person_id
    ), keys as materialized (
      select account_id, count(*)::int as count from every_key group by account_id
    ), personal as materialized (
      select made_by, max(last_used) as last_used from every_key where kind = 'personal' group by made_by
    )
    select id, email, name, created, disabled, coalesce(joined.accounts, '[]') as accounts,
      array_remove(array[
        case when password_hash is not null then 'password' end,
        case when totp_enabled then 'code' end,
        case when exists (select from passkey where account_id = person.id) then 'passkey' end,
        case when exists (select from person_identity where person_id = person.id) then 'single sign-on' end
      ], null) as "signIn",
      coalesce(counted.devices, 0) as devices,
      coalesce(keys.count, 0) as "accessKeys",
      (select count(*)::int from session where account_id = person.id and expires > now()) as sessions,
      greatest(
        (select max(created) from session where account_id = person.id),
        (select max(last_used) from person_identity where person_id = person.id)
      ) as "lastSignIn",
      greatest(personal.last_used, (select max(updated) from session where account_id = person.id)) as "lastUsed"
    from person left join counted on counted.account_id = person.id
      left join joined on joined.person_id = person.id left join keys on keys.account_id = person.id
      left join personal on personal.made_by = person.id
    where removed is null order by lower(email), id`.execute(db)
  return rows
}

export interface AccountSummary extends UserDetails {
  disabled: Date | null
  owners: string[]
  members: number
  devices: number
  accessKeys: number
}

export async function selectAccounts(db: Database): Promise<AccountSummary[]> {
  const { rows } = await sql<AccountSummary>`
    with ${counted}
    select id, ${contact}, created, disabled,
      array(select person.email from membership join person on person.id = person_id
        where account_id = account.id and role_id = 'owner' order by person.email) as owners,
      (select count(*)::int from membership where account_id = account.id) as members,
      coalesce(counted.devices, 0) as devices,
      (select count(*)::int from every_key where account_id = account.id) as "accessKeys"
    from account left join counted on counted.account_id = account.id
    order by lower(account.email), id`.execute(db)
  return rows
}

export async function countContents(
  db: Database,
  accountId: string,
): Promise<Pick<UserSummary, 'devices' | 'accessKeys'>> {
  const [counts] = await query<Pick<UserSummary, 'devices' | 'accessKeys'>>(
    db,
    `select (select coalesce(sum(devices), 0)::int from device_count where account_id = $1) as devices,
       (select count(*)::int from every_key where account_id = $1) as "accessKeys"`,
    [accountId],
  )
  return counts!
}

export async function countOtherAccounts(db: Database, accountIds: readonly string[]): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`select count(*)::int as count from account where id <> all(${accountIds}::text[])`.execute(db)
  return rows[0]!.count
}

/**
 * Locks an account, so that only one transaction at a time can change the account's access keys, members, views,
 * webhooks, and other small lists. Changes to devices and services do not wait. Returns false if the account does not
 * exist.
 */
export async function lockAccount(db: Database, accountId: string): Promise<boolean> {
  const rows = await query(db, 'select id from account where id = $1 for no key update', [accountId])
  return rows.length > 0
}

/** If `name` is null, removes the contact's name. */
export async function writeContact(
  db: Database,
  accountId: string,
  { email, name }: { email: string; name: string | null },
): Promise<void> {
  await db
    .updateTable('account')
    .set({ contact_email: email, contact_name: name ?? '' })
    .where('id', '=', accountId)
    .execute()
}

/** Returns null if the account has no policy. */
export async function findSignInPolicy(db: Database, accountId: string): Promise<string | null> {
  const row = await db.selectFrom('account').select('sign_in_policy').where('id', '=', accountId).executeTakeFirst()
  return row?.sign_in_policy ?? null
}

export async function writeSignInPolicy(db: Database, accountId: string, policy: string): Promise<void> {
  await db.updateTable('account').set({ sign_in_policy: policy }).where('id', '=', accountId).execute()
}
