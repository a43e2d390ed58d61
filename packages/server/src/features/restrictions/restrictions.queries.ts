import { type Database, query } from '../../db/database.ts'
import type { StoredRestriction } from '../../restriction.ts'

export interface RestrictedRow {
  kind: 'role' | 'accessKey'
  id: string
  name: string | null
  restriction: StoredRestriction
}

export const selectRestricted = (db: Database, accountId: string): Promise<RestrictedRow[]> =>
  query(
    db,
    `select 'role' as kind, id, name, restriction from role where account_id = $1 and restriction is not null
     union all
     select 'accessKey', key, name, restriction from restricted_key where account_id = $1 and restriction is not null
     order by kind, id`,
    [accountId],
  )

export async function writeRoleRestriction(db: Database, accountId: string, row: RestrictedRow): Promise<void> {
  await query(db, 'update role set restriction = $3::jsonb where account_id = $1 and id = $2', [
    accountId,
    row.id,
    JSON.stringify(row.restriction),
  ])
}

export async function writeKeyRestriction(db: Database, accountId: string, row: RestrictedRow): Promise<void> {
  await query(db, 'update restricted_key set restriction = $3::jsonb where account_id = $1 and key = $2', [
    accountId,
    row.id,
    JSON.stringify(row.restriction),
  ])
}
