import { sql } from 'kysely'
import { type Database, query } from '../../../db/database.ts'
import type { StoredRole } from './role.ts'

const columns = ['id', 'name', 'permissions', 'groups'] as const

/** Selects an account's stored roles by name. */
export function selectRoles(db: Database, accountId: string): Promise<StoredRole[]> {
  return db
    .selectFrom('role')
    .select(columns)
    .where('account_id', '=', accountId)
    .orderBy(sql`name collate natural_order`)
    .orderBy('id')
    .execute()
}

/** Counts the members and open invitations that have each role. */
export async function countRoleUses(db: Database, accountId: string, now: Date): Promise<Map<string, number>> {
  const rows = await query<{ role: string; uses: number }>(
    db,
    `select role, count(*)::int as uses from (
       select role_id as role from membership where account_id = $1
       union all select role_id from invitation where account_id = $1 and expires > $2
     ) as used group by role`,
    [accountId, now],
  )
  return new Map(rows.map(({ role, uses }) => [role, uses]))
}

/** Inserts a role, or writes all fields of the one with its ID. */
export async function saveRole(db: Database, accountId: string, role: StoredRole): Promise<void> {
  const { id, name, permissions, groups } = role
  await db
    .insertInto('role')
    .values({ account_id: accountId, id, name, permissions, groups })
    .onConflict((conflict) => conflict.columns(['account_id', 'id']).doUpdateSet({ name, permissions, groups }))
    .execute()
}

export async function removeRole(db: Database, accountId: string, id: string): Promise<void> {
  await db.deleteFrom('role').where('account_id', '=', accountId).where('id', '=', id).execute()
}
