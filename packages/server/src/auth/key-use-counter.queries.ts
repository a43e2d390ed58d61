import { type Database, query } from '../db/database.ts'

export interface KeyUseRow {
  key: string
  /** The start of the day in UTC. */
  day: Date
  field: string
  permission: string
  uses: number
  rejected: number
  /** The time of the last use, or null if every attempt was rejected. */
  lastUsed: Date | null
}

/** Skips keys that were deleted. All processes write the rows in the same order, so they cannot deadlock. */
export async function insertKeyUse(db: Database, accountId: string, rows: readonly KeyUseRow[]): Promise<void> {
  await query(
    db,
    `insert into key_use (account_id, key, day, field, permission, uses, rejected, last_used)
     select $1, counted.* from unnest($2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::timestamptz[])
       as counted (key, day, field, permission, uses, rejected, last_used)
     where exists (select from every_key where every_key.account_id = $1 and every_key.key = counted.key)
     order by key, day, field, permission
     on conflict (account_id, key, day, field, permission) do update set
       uses = key_use.uses + excluded.uses, rejected = key_use.rejected + excluded.rejected,
       last_used = greatest(key_use.last_used, excluded.last_used)`,
    [
      accountId,
      rows.map(({ key }) => key),
      rows.map(({ day }) => day),
      rows.map(({ field }) => field),
      rows.map(({ permission }) => permission),
      rows.map(({ uses }) => uses),
      rows.map(({ rejected }) => rejected),
      rows.map(({ lastUsed }) => lastUsed),
    ],
  )
}

export async function selectAccountsWithOldUse(db: Database, before: Date): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    'select distinct account_id as id from key_use where day < $1 limit 1000',
    [before],
  )
  return rows.map(({ id }) => id)
}

export async function deleteOldUse(db: Database, accountId: string, before: Date): Promise<void> {
  await query(db, 'delete from key_use where account_id = $1 and day < $2', [accountId, before])
}
