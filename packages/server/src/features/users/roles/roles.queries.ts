import { sql } from 'kysely'
import { type Database, query } from '../../../db/database.ts'
import type { StoredRole } from './role.ts'

const columns = ['id', 'name', 'permissions', 'restriction', 'groups'] as const

export async function selectRoles(db: Database, accountId: string): Promise<StoredRole[]> {
  const rows = await db
    .selectFrom('role')
    .select(columns)
    .where('account_id', '=', accountId)
    .orderBy(sql`name collate natural_order`)
    .orderBy('id')
    .execute()
  return rows as StoredRole[]
}

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

/** Inserts a role, or overwrites the fields of the role with the same ID. */
export async function saveRole(db: Database, accountId: string, role: StoredRole): Promise<void> {
  const { id, name, groups } = role
  const permissions = role.permissions && [...role.permissions]
  const restriction = role.restriction === null ? null : JSON.stringify(role.restriction)
  await db
    .insertInto('role')
    .values({ account_id: accountId, id, name, permissions, restriction, groups })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'id']).doUpdateSet({ name, permissions, restriction, groups }),
    )
    .execute()
}

export async function removeRole(db: Database, accountId: string, id: string): Promise<void> {
  await db.deleteFrom('role').where('account_id', '=', accountId).where('id', '=', id).execute()
}
