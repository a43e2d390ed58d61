import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import type { Evaluation } from './retry-policy.ts'
import type { Health } from './sending.queries.ts'

export interface Result extends WebhookAddress, Omit<Evaluation, 'isGone'> {
  id: string
  /** The delivery's `tries` before the attempt. Only a pending delivery that still has this number is updated. */
  tries: number
  httpStatus: number | null
  duration: number
  response: string | null
}

export async function writeResults(db: Database, accountId: string, results: readonly Result[]): Promise<void> {
  await sql`
    with result as materialized (
      select row.*, statement_timestamp() + make_interval(secs => delay) as due from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as row (
        "webhookId" text, id text, tries int, status text, delay float8, "httpStatus" int, duration int, error text,
        response text)
    ), target as materialized (
      select delivery.webhook_id, delivery.id from webhook_delivery as delivery
      join result on delivery.webhook_id = "webhookId" and delivery.id = result.id
      where delivery.account_id = ${accountId} and delivery.status = 'pending' and delivery.tries = result.tries
      order by delivery.webhook_id, delivery.id for update of delivery
    )
    update webhook_delivery as delivery
    set status = result.status, attempts = delivery.attempts + 1, tries = result.tries + 1,
      http_status = result."httpStatus", duration = result.duration, error = result.error, response = result.response,
      next_attempt = result.due
    from target, result
    where delivery.account_id = ${accountId} and delivery.webhook_id = target.webhook_id and delivery.id = target.id
      and result.id = target.id`.execute(db)
}

export type HealthChange = WebhookAddress & Health

/**
 * Saves the health of an account's receivers, for webhooks that this process still holds. Returns the IDs of webhooks
 * whose attempts have all failed for more than `days` days.
 */
export async function writeHealth(
  db: Database,
  accountId: string,
  { changes, holder, days }: { changes: readonly HealthChange[]; holder: string; days: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string; hopeless: boolean | null }>`
    with change as materialized (
      select row.*, statement_timestamp() as now, statement_timestamp() + make_interval(secs => "probeIn") as probe,
        statement_timestamp() - make_interval(days => ${days}) as limit_of_failures
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as row (
        "webhookId" text, failures int, "probeIn" float8)
    ), target as materialized (
      select sending.webhook_id from webhook_sending as sending join change on sending.webhook_id = "webhookId"
      where sending.account_id = ${accountId} and holder = ${holder}
      order by sending.webhook_id for update of sending
    )
    update webhook_sending as sending
    set failures = change.failures,
      failing_since = case when change.failures > 0 then coalesce(failing_since, change.now) end,
      probe_at = change.probe
    from target, change
    where sending.account_id = ${accountId} and sending.webhook_id = target.webhook_id
      and change."webhookId" = target.webhook_id
    returning sending.webhook_id as id, failing_since < change.limit_of_failures as hopeless`.execute(db)
  return rows.filter(({ hopeless }) => hopeless).map(({ id }) => id)
}
