import { type Database, query } from '../../db/database.ts'

export interface KeyOfStarter {
  enabled: boolean
  readOnly: boolean
  expires: Date | null
  permissions: string[] | null
}

/** Returns the access key that started a job. Returns undefined if it or its user no longer exists or is disabled. */
export async function findKeyOfStarter(
  db: Database,
  accountId: string,
  key: string,
): Promise<KeyOfStarter | undefined> {
  const [row] = await query<KeyOfStarter>(
    db,
    `select enabled, read_only as "readOnly", expires, permissions
     from access_key join account on account.id = account_id and account.disabled is null
     where account_id = $1 and key = $2`,
    [accountId, key],
  )
  return row
}

/** Returns the role of the person who started a job. Returns undefined if the person is no longer a member. */
export async function findRoleOfStarter(
  db: Database,
  accountId: string,
  personId: string,
): Promise<{ role: string; permissions: string[] | null } | undefined> {
  const [row] = await query<{ role: string; permissions: string[] | null }>(
    db,
    `select role_id as role, role.permissions
     from membership join account on account.id = membership.account_id and account.disabled is null
       join person on person.id = person_id and person.disabled is null
       left join role on role.account_id = $1 and role.id = role_id
     where membership.account_id = $1 and person_id = $2`,
    [accountId, personId],
  )
  return row
}
