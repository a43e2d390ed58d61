import { type Database, query } from '../../../db/database.ts'
import type { Member } from './member.ts'

export function selectMembers(db: Database, accountId: string, personId: string | null = null): Promise<Member[]> {
  return query(
    db,
    `select person.id as "personId", person.email, person.name, role_id as "roleId", membership.source, membership.created,
       membership.last_used as "lastUsed",
       (select count(*)::int from every_key
         where every_key.account_id = $1 and coalesce(made_by, every_key.account_id) = person.id and kind = 'account') as "accountKeys"
     from membership join person on person.id = person_id
     where membership.account_id = $1 and ($2::text is null or person_id = $2) order by lower(person.email), person.id`,
    [accountId, personId],
  )
}

export async function countMembers(db: Database, accountId: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    db,
    'select count(*)::int as count from membership where account_id = $1',
    [accountId],
  )
  return row!.count
}

export const canSignIn = `person.disabled is null and person.removed is null
  and (person.password_hash is not null
    or exists (select from passkey where passkey.account_id = person.id)
    or exists (select from person_identity where person_identity.person_id = person.id))`

export async function countOwnersWhoCanSignIn(db: Database, accountId: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    db,
    `select count(*)::int as count from membership join person on person.id = person_id
     where membership.account_id = $1 and role_id = 'owner' and ${canSignIn}`,
    [accountId],
  )
  return row!.count
}

export async function writeRole(
  db: Database,
  accountId: string,
  { personId, roleId }: { personId: string; roleId: string },
): Promise<void> {
  await db
    .updateTable('membership')
    .set({ role_id: roleId })
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .execute()
}

export async function deleteMembership(db: Database, accountId: string, personId: string): Promise<void> {
  await db.deleteFrom('membership').where('account_id', '=', accountId).where('person_id', '=', personId).execute()
}
