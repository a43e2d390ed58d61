import { type Database, query } from '../../../db/database.ts'
import { contactColumns } from '../accounts.queries.ts'
import type { StoredRole } from '../roles/role.ts'

/** The role is null if the person is not a member. */
export interface MembershipRow {
  id: string
  email: string
  name: string | null
  role: StoredRole | null
  signInPolicy: string | null
}

/**
 * Selects a person's memberships in enabled accounts. If `accountId` is given, selects only the row for that account,
 * even if the person is not a member of it.
 */
export function selectMemberships(
  db: Database,
  personId: string,
  { accountId, limit }: { accountId: string | null; limit: number },
): Promise<MembershipRow[]> {
  return query(
    db,
    `select account.id, sign_in_policy as "signInPolicy", ${contactColumns},
       case when role_id is not null then jsonb_build_object('id', role_id, 'name', role.name,
         'permissions', role.permissions, 'restriction', role.restriction, 'groups', coalesce(role.groups, '{}')) end as role
     from account left join membership on membership.account_id = account.id and person_id = $1
       left join role on role.account_id = account.id and role.id = role_id
     where account.disabled is null and case when $2::text is null then person_id is not null else account.id = $2 end
       and ($2::text is not null or account.id in (select account_id from membership where person_id = $1))
     order by membership.created, account.id limit $3`,
    [personId, accountId, limit],
  )
}
