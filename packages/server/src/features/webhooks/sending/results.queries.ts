import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { DeliveryStatus } from '../webhook.ts'
import type { WebhookAddress } from '../webhook-channel.ts'

export interface Result extends WebhookAddress {
  id: string
  /**
   * The delivery's `tries` before the attempt. If a redelivery has changed `tries` since, the delivery is not updated.
   */
  tries: number
  status: DeliveryStatus
  /** The number of seconds until the next attempt, or null if no attempt follows. */
  delay: number | null
  httpStatus: number | null
  duration: number
  error: string | null
  response: string | null
}

export async function writeResults(db: Database, results: readonly Result[]): Promise<void> {
  await sql`
    with result as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as row (
        "accountId" text, "webhookId" text, id text, tries int, status text, delay float8, "httpStatus" int, duration int,
        error text, response text)
    ), target as materialized (
      select delivery.account_id, delivery.webhook_id, delivery.id from webhook_delivery as delivery
      join result on delivery.account_id = "accountId" and delivery.webhook_id = "webhookId" and delivery.id = result.id
      where delivery.status = 'pending' and delivery.tries = result.tries
      order by delivery.account_id, delivery.webhook_id, delivery.id for update of delivery
    )
    update webhook_delivery as delivery
    set status = result.status, attempts = delivery.attempts + 1, tries = result.tries + 1,
      http_status = result."httpStatus", duration = result.duration, error = result.error, response = result.response,
      next_attempt = clock_timestamp() + make_interval(secs => result.delay)
    from target, result
    where delivery.account_id = target.account_id and delivery.webhook_id = target.webhook_id and delivery.id = target.id
      and result.id = target.id`.execute(db)
}

/** A receiver's health after its latest attempt. */
export interface HealthChange extends WebhookAddress {
  failures: number
  /** The number of seconds until the next probe, or null while the circuit is closed. */
  probeIn: number | null
}

/** Saves the health of receivers. Returns the IDs of webhooks whose attempts have all failed for this many days. */
export async function writeHealth(
  db: Database,
  changes: readonly HealthChange[],
  { holder, days }: { holder: string; days: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string; hopeless: boolean | null }>`
    with change as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as row (
        "accountId" text, "webhookId" text, failures int, "probeIn" float8)
    ), target as materialized (
      select sending.account_id, sending.webhook_id from webhook_sending as sending
      join change on sending.account_id = "accountId" and sending.webhook_id = "webhookId"
      where holder = ${holder} order by sending.account_id, sending.webhook_id for update of sending
    )
    update webhook_sending as sending
    set failures = change.failures,
      failing_since = case when change.failures > 0 then coalesce(failing_since, clock_timestamp()) end,
      probe_at = clock_timestamp() + make_interval(secs => change."probeIn")
    from target, change
    where sending.account_id = target.account_id and sending.webhook_id = target.webhook_id
      and change."webhookId" = target.webhook_id
    returning sending.webhook_id as id, failing_since < clock_timestamp() - make_interval(days => ${days}) as hopeless`.execute(
    db,
  )
  return rows.filter(({ hopeless }) => hopeless).map(({ id }) => id)
}
