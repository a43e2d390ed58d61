import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'

export async function countUndelivered(db: Database): Promise<{ pending: number; failed: number }> {
  const { rows } = await sql<{ pending: number; failed: number }>`
    select (select count(*) from webhook_delivery where status = 'pending')::float8 as pending,
      (select count(*) from webhook_delivery where status = 'failed')::float8 as failed`.execute(db)
  return rows[0]!
}

/**
 * Returns the number of seconds for which the oldest due delivery has been due, or 0 if no delivery is due. Ignores
 * webhooks that are disabled or paused, or whose receivers get only one attempt per minute.
 */
export async function readLongestDue(db: Database): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from clock_timestamp() - min(first.due))::float8 as seconds
    from webhook_sending as sending
    join webhook on webhook.account_id = sending.account_id and webhook.id = sending.webhook_id
      and webhook.enabled and webhook.paused is null
    cross join lateral (
      select min(next_attempt) as due from webhook_delivery as delivery
      where delivery.account_id = sending.account_id and delivery.webhook_id = sending.webhook_id and status = 'pending') as first
    where sending.probe_at is null`.execute(db)
  return Math.max(0, rows[0]?.seconds ?? 0)
}
