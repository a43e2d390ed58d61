import { sql } from 'kysely'
import { type Database, query } from '../../../db/database.ts'
import { counted } from '../accounts.queries.ts'
import type { UserDetails } from '../user.ts'

export interface NewPerson {
  id: string
  email: string
  emailConfirmed: boolean
  name: string | null
  passwordHash: string | null
}

/** Inserts a person. Returns false if the email address is in use. */
export async function insertPerson(db: Database, person: NewPerson): Promise<boolean> {
  const { id, email, emailConfirmed, name, passwordHash } = person
  const result = await db
    .insertInto('person')
    .values({ id, email, email_confirmed: emailConfirmed, name, password_hash: passwordHash })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export interface NewMembership {
  accountId: string
  personId: string
  roleId: string
  source: 'invitation' | 'group' | 'operator' | 'founder'
}

export async function insertMembership(db: Database, membership: NewMembership): Promise<void> {
  const { accountId, personId, roleId, source } = membership
  await db
    .insertInto('membership')
    .values({ account_id: accountId, person_id: personId, role_id: roleId, source })
    .execute()
}

export function selectAccountsOf(db: Database, personId: string): Promise<{ accountId: string; email: string }[]> {
  return query(
    db,
    `select account.id as "accountId", coalesce(contact_email, account.email) as email
     from membership join account on account.id = account_id where person_id = $1 order by account.id`,
    [personId],
  )
}

export interface StoredPerson {
  id: string
  email: string
}

export async function findPerson(db: Database, id: string): Promise<StoredPerson | undefined> {
  return db.selectFrom('person').select(['id', 'email']).where('id', '=', id).executeTakeFirst()
}

/**
 * Selects up to two people whose own accounts have this contact address, which can differ from the person's address.
 */
export function selectByContact(db: Database, address: string): Promise<StoredPerson[]> {
  return query(
    db,
    `select person.id, person.email
     from account join membership on membership.account_id = account.id and membership.person_id = account.id
       join person on person.id = account.id and person.removed is null
     where lower(contact_email) = lower($1::text collate "C") order by person.id limit 2`,
    [address],
  )
}

export async function isDisabled(db: Database, personId: string): Promise<boolean> {
  const rows = await query(db, 'select id from person where id = $1 and disabled is not null', [personId])
  return rows.length > 0
}

export async function writeDisabled(db: Database, personId: string, disabled: Date | null): Promise<void> {
  await db.updateTable('person').set({ disabled }).where('id', '=', personId).execute()
}

/**
 * Deletes a person who is not a member of any account, and the person's sessions, passkeys, authenticator app, and
 * identities. Keeps only the ID and the address, which identify the person in events. For an erased person, `email` is
 * a placeholder. Returns false and deletes nothing if the person is a member of an account.
 */
export async function replaceWithRemovedPerson(
  db: Database,
  { id, email, now }: { id: string; email: string; now: Date },
): Promise<boolean> {
  // While the person is locked, no transaction can add a membership. A cluster rejects a single statement that both
  // locks a person and reads `membership`, so there are two.
  await query(db, 'select id from person where id = $1 for update', [id])
  const memberships = await query(db, 'select account_id from membership where person_id = $1 limit 1', [id])
  if (memberships.length > 0) return false
  // Foreign keys delete the sessions, passkeys, authenticator app, and identities.
  await query(db, 'delete from person where id = $1', [id])
  const rows = await query(
    db,
    `insert into person (id, email, email_confirmed, disabled, removed) values ($1, $2, false, $3, $3)
     on conflict (id) do nothing returning id`,
    [id, email, now],
  )
  return rows.length > 0
}

/** Disables the person's enabled accounts that have no enabled member. Returns their IDs. */
export async function disableAccountsOf(db: Database, personId: string, now: Date): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `update account set disabled = $2
     where disabled is null and id in (select account_id from membership where person_id = $1)
       and not exists (select from membership join person on person.id = person_id
         where account_id = account.id and person.disabled is null)
     returning id`,
    [personId, now],
  )
  return rows.map(({ id }) => id)
}

/** Enables the person's disabled accounts. Returns their IDs. */
export async function enableAccountsOf(db: Database, personId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `update account set disabled = null
     where disabled is not null and id in (select account_id from membership where person_id = $1) returning id`,
    [personId],
  )
  return rows.map(({ id }) => id)
}

export interface KnownPerson extends StoredPerson {
  name: string | null
  isRemoved: boolean
}

/** Selects people, including people who were removed. */
export async function selectPeople(db: Database, ids: readonly string[]): Promise<KnownPerson[]> {
  return query(db, 'select id, email, name, removed is not null as "isRemoved" from person where id = any($1)', [ids])
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
