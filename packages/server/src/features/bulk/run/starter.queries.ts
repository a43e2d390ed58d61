import { type Database, query } from '../../../db/database.ts'
import type { StoredAccess } from '../../../restriction.ts'

export interface RoleOfStarter extends StoredAccess {
  role: string
}

/** Returns undefined if the person is no longer a member, or if the person or the account is disabled. */
export async function findRoleOfStarter(
  db: Database,
  accountId: string,
  personId: string,
): Promise<RoleOfStarter | undefined> {
  const [row] = await query<RoleOfStarter>(
    db,
    `select role_id as role, role.permissions, role.restriction
     from membership join account on account.id = membership.account_id and account.disabled is null
       join person on person.id = person_id and person.disabled is null
       left join role on role.account_id = $1 and role.id = role_id
     where membership.account_id = $1 and person_id = $2`,
    [accountId, personId],
  )
  return row
}
