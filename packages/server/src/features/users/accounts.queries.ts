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

/**
 * Counts the devices of each account. In a selection from `person`, a cluster rejects a correlated subquery for these
 * counts. The reason is that `person` is a reference table: all its rows are on every node.
 */
export const counted = sql`counted as materialized (
  select account_id, sum(devices)::int as devices from device_count group by account_id)`

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

export async function countContents(db: Database, accountId: string): Promise<{ devices: number; accessKeys: number }> {
  const [counts] = await query<{ devices: number; accessKeys: number }>(
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
