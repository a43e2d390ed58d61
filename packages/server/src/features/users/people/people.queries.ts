import { type Database, query } from '../../../db/database.ts'

export interface NewPerson {
  id: string
  email: string
  emailConfirmed: boolean
  name: string | null
  passwordHash: string | null
}

/** Inserts a person. Returns false if the email address is in use. */
export async function insertPerson(db: Database, person: NewPerson): Promise<boolean> {
  const result = await db
    .insertInto('person')
    .values({
      id: person.id,
      email: person.email,
      email_confirmed: person.emailConfirmed,
      name: person.name,
      password_hash: person.passwordHash,
    })
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

export interface KnownPerson {
  id: string
  email: string
  name: string | null
  isRemoved: boolean
}

/** Selects people, including people who were removed. */
export async function selectPeople(db: Database, ids: readonly string[]): Promise<KnownPerson[]> {
  return query(db, 'select id, email, name, removed is not null as "isRemoved" from person where id = any($1)', [ids])
}
