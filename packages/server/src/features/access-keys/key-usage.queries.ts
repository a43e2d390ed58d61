import { type Database, query } from '../../db/database.ts'
import type { PermissionName } from '../../permissions.ts'

export interface FieldUse {
  key: string
  /** The type and field, such as Mutation.setAttribute. */
  field: string
  permission: PermissionName
  uses: number
  rejected: number
  /** The time of the last use, precise to the minute, or null if every attempt was rejected. */
  lastUsed: Date | null
}

export function selectKeyUse(
  db: Database,
  accountId: string,
  { keys, since }: { keys: readonly string[]; since: Date },
): Promise<FieldUse[]> {
  return query<FieldUse>(
    db,
    `select key, field, permission, least(sum(uses), 2147483647)::int as uses,
       least(sum(rejected), 2147483647)::int as rejected, max(last_used) as "lastUsed"
     from key_use where account_id = $1 and key = any($2) and day >= $3
     group by key, field, permission
     order by max(last_used) desc nulls last, field, permission`,
    [accountId, keys, since],
  )
}

export async function selectKeyUseSince(db: Database, accountId: string): Promise<Date> {
  const { key_use_since: since } = await db
    .selectFrom('account')
    .select('key_use_since')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return since
}
