import { type Database, query } from '../../../db/database.ts'

export interface IdentityKey {
  issuer: string
  subject: string
}

export interface IdentifiedPerson {
  personId: string
  email: string
  emailConfirmed: boolean
  isDisabled: boolean
  /** The address that the provider stated last. Null if it stated none, or if the person was found by address. */
  statedEmail: string | null
}

const columns = `person.id as "personId", person.email, email_confirmed as "emailConfirmed",
  person.disabled is not null or person.removed is not null as "isDisabled"`

const byIdentity = `select ${columns}, person_identity.email as "statedEmail"
  from person_identity join person on person.id = person_id where issuer = $1 and subject = $2`

export async function findByIdentity(
  db: Database,
  { issuer, subject }: IdentityKey,
): Promise<IdentifiedPerson | undefined> {
  const [row] = await query<IdentifiedPerson>(db, byIdentity, [issuer, subject])
  return row
}

/** Like `findByIdentity`, but also locks the person, and waits while a reset of the person is running. */
export async function lockByIdentity(
  transaction: Database,
  { issuer, subject }: IdentityKey,
): Promise<IdentifiedPerson | undefined> {
  const [row] = await query<IdentifiedPerson>(transaction, `${byIdentity} for no key update of person`, [
    issuer,
    subject,
  ])
  return row
}

const byEmail = `select ${columns}, null as "statedEmail" from person
  where lower(email) = lower($1::text collate "C") and removed is null`

export async function findByEmail(db: Database, email: string): Promise<IdentifiedPerson | undefined> {
  const [row] = await query<IdentifiedPerson>(db, byEmail, [email])
  return row
}

export async function lockByEmail(transaction: Database, email: string): Promise<IdentifiedPerson | undefined> {
  const [row] = await query<IdentifiedPerson>(transaction, `${byEmail} for no key update`, [email])
  return row
}

/** Returns false if the identity is already linked to a person. */
export async function insertIdentity(
  db: Database,
  { issuer, subject }: IdentityKey,
  { personId, email, now }: { personId: string; email: string | null; now: Date },
): Promise<boolean> {
  const result = await db
    .insertInto('person_identity')
    .values({ issuer, subject, person_id: personId, email, last_used: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function touchIdentity(
  db: Database,
  { issuer, subject }: IdentityKey,
  { email, now }: { email: string | null; now: Date },
): Promise<void> {
  await db
    .updateTable('person_identity')
    .set({ email, last_used: now })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

/** Writes an address that the provider has verified, unless another person or account has the address. */
export async function writeEmail(db: Database, personId: string, email: string): Promise<void> {
  const accounts = await query(
    db,
    'select id from account where lower(email) = lower($2::text collate "C") and id <> $1 limit 1',
    [personId, email],
  )
  if (accounts.length > 0) return
  const changed = await query(
    db,
    `update person set email = $2, email_confirmed = true, updated = now() where id = $1
       and not exists (select from person as other
         where lower(other.email) = lower($2::text collate "C") and other.removed is null and other.id <> $1)
     returning id`,
    [personId, email],
  )
  // The account that the person founded must have the same address.
  if (changed.length > 0)
    await query(db, 'update account set email = $2 where id = $1 and email is distinct from $2', [personId, email])
}

export async function hasRoleFor(db: Database, groups: readonly string[]): Promise<boolean> {
  const rows = await query(
    db,
    `select role.id from role join account on account.id = role.account_id
     where role.groups && $1::text[] and account.disabled is null limit 1`,
    [groups],
  )
  return rows.length > 0
}

/** Returns the IDs of enabled accounts with a role for one of the groups or a group-based membership of the person. */
export async function selectGroupAccounts(
  db: Database,
  { personId, groups }: { personId: string; groups: readonly string[] },
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `select id from account where disabled is null and id in (
       select account_id from role where groups && $2::text[]
       union select account_id from membership where person_id = $1 and source = 'group')
     order by id`,
    [personId, groups],
  )
  return rows.map(({ id }) => id)
}
