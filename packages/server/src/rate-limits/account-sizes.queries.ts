import { type Database, query } from '../db/database.ts'
import type { AccountSize } from '../graphql/cost/scanned-row-estimate.ts'

/** The number of events at which counting stops. */
const MAX_EVENTS = 100_000

export async function readAccountSize(db: Database, accountId: string): Promise<AccountSize> {
  const rows = await query<AccountSize>(
    db,
    `select (select coalesce(sum(devices), 0) from device_count where account_id = $1)::int as devices,
       (select count(*) from (select from event where account_id = $1 limit $2) as counted)::int as events`,
    [accountId, MAX_EVENTS],
  )
  return rows[0]!
}
