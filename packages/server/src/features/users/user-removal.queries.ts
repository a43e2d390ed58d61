import { sql } from 'kysely'
import { type Database, query } from '../../db/database.ts'
import { canSignIn } from './members/members.queries.ts'

/**
 * The tables that can have many rows per account, with the columns that identify a row in the account. Foreign keys
 * delete the rows in other tables.
 */
const identifiedBy = {
  webhook_delivery: ['webhook_id', 'id'],
  webhook_candidate: ['webhook_id', 'event_id'],
  attribute_override: ['target_id', 'context'],
  device: ['id'],
  device_count: ['id'],
  event: ['id'],
} as const

export type UserTable = keyof typeof identifiedBy

/** The tables in the order in which their rows must be deleted. */
export const tablesInOrder = Object.keys(identifiedBy) as UserTable[]

const BATCH = 1_000

export async function deleteBatch(db: Database, accountId: string, table: UserTable): Promise<number> {
  const columns = sql.join(identifiedBy[table].map((column) => sql.ref(column)))
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where account_id = ${accountId} and (${columns}) in (
      select ${columns} from ${sql.table(table)} where account_id = ${accountId} order by ${columns} limit ${BATCH})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0n)
}

/**
 * Deletes the account. Foreign keys delete all rows that refer to the account, except events and device counts, which
 * have no foreign key.
 */
export async function deleteAccount(db: Database, accountId: string): Promise<void> {
  await db.deleteFrom('account').where('id', '=', accountId).execute()
}

/** Selects the accounts that this person owns and that have no other owner who can sign in. */
export async function selectAccountsWithoutOtherOwner(
  db: Database,
  personId: string,
): Promise<{ accountId: string; email: string }[]> {
  return query(
    db,
    `select account.id as "accountId", coalesce(contact_email, account.email) as email
     from membership as own join account on account.id = own.account_id
     where own.person_id = $1 and own.role_id = 'owner' and not exists (
       select from membership join person on person.id = membership.person_id
       where membership.account_id = own.account_id and membership.person_id <> $1 and membership.role_id = 'owner'
         and ${canSignIn})
     order by account.id`,
    [personId],
  )
}

/** If the account's contact address is that of the erased person, sets it to the address of another owner. */
export async function replaceContact(
  db: Database,
  accountId: string,
  { personId, email }: { personId: string; email: string },
): Promise<void> {
  await query(
    db,
    `update account set contact_email = (
       select person.email from membership join person on person.id = person_id
       where account_id = $1 and role_id = 'owner' and person_id <> $2 order by membership.created, person_id limit 1)
     where id = $1 and lower(coalesce(contact_email, email)) = lower($3::text collate "C")`,
    [accountId, personId, email],
  )
}

/**
 * Clears a removed founder's address, password, and two-factor setting in the account's row, where servers of the
 * previous release would read them. The account keeps the address that the API shows.
 */
export async function detachFounder(db: Database, accountId: string): Promise<void> {
  await query(
    db,
    `update account set contact_email = coalesce(contact_email, email), email = id || '@account.invalid',
       password_hash = null, totp_enabled = false
     where id = $1`,
    [accountId],
  )
}
