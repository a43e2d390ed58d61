import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/**
 * Contains the tables that can have many rows per user, with the columns that identify a row within the account. Other
 * tables have few rows per account or device, and foreign keys delete these with the account or the device.
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

/** Deletes up to 1,000 of the account's rows and returns their number. */
export async function deleteBatch(db: Database, accountId: string, table: UserTable): Promise<number> {
  const columns = sql.join(identifiedBy[table].map((column) => sql.ref(column)))
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where account_id = ${accountId} and (${columns}) in (
      select ${columns} from ${sql.table(table)} where account_id = ${accountId} order by ${columns} limit ${BATCH})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0n)
}

/** Deletes the account. Foreign keys delete all rows that refer to the account. */
export async function deleteAccount(db: Database, accountId: string): Promise<void> {
  await db.deleteFrom('account').where('id', '=', accountId).execute()
}

/**
 * Checks whether the user's account has other members, whether another account would be left without an owner, and
 * whether the user is a member of another account.
 */
export async function findRemovalConflict(
  db: Database,
  personId: string,
): Promise<'members' | 'owner' | 'member' | undefined> {
  const { rows } = await sql<{ hasMembers: boolean; isMember: boolean; isLastOwner: boolean }>`
    select exists (select from membership where account_id = ${personId} and person_id <> ${personId}) as "hasMembers",
      exists (select from membership where person_id = ${personId} and account_id <> ${personId}) as "isMember",
      exists (
        select from membership as own
        where own.person_id = ${personId} and own.account_id <> ${personId} and own.role_id = 'owner' and not exists (
          select from membership as other
          where other.account_id = own.account_id and other.role_id = 'owner' and other.person_id <> ${personId})
      ) as "isLastOwner"`.execute(db)
  const { hasMembers, isMember, isLastOwner } = rows[0]!
  if (hasMembers) return 'members'
  if (isLastOwner) return 'owner'
  return isMember ? 'member' : undefined
}
