import { sql } from 'kysely'
import type { TestApp } from '../packages/server/test/harness/app.ts'
import type { Person } from './harness.ts'

interface Spacing {
  secondsApart: number
  /** Age of the newest change in seconds. Default: 0. */
  secondsAgo?: number
  /** Number of devices that the changes affect in turn. By default, each change affects a different device. */
  devices?: number
}

/**
 * Moves a user's events nine minutes into the future. Even if a slow machine takes minutes to write new events, the
 * page then adds them to the bursts of the moved events.
 */
export async function moveEventsAhead({ db }: TestApp, { accountId }: Person): Promise<void> {
  await sql`update event set "timestamp" = "timestamp" + interval '9 minutes' where account_id = ${accountId}`.execute(
    db,
  )
}

/**
 * Inserts `count` events. The oldest sets the attribute `site` to `place-1`, the next to `place-2`, and so on.
 */
export async function insertChanges(
  { db }: TestApp,
  { accountId }: Person,
  count: number,
  { secondsApart, secondsAgo = 0, devices = count }: Spacing,
): Promise<void> {
  await sql`
    insert into event (account_id, "timestamp", type, device_id, targets, data, source)
    select ${accountId}, now() - (${secondsAgo}::float8 + (${count}::int - n) * ${secondsApart}::float8) * interval '1 second',
      'ATTRIBUTE_CHANGE', 'd' || n % ${devices}::int,
      jsonb_build_array(jsonb_build_object('kind', 'device', 'id', 'd' || n % ${devices}::int, 'name', 'pump ' || n % ${devices}::int)),
      jsonb_build_object('changes', jsonb_build_object('site', jsonb_build_object('old', null, 'new', 'place-' || n))),
      '{"kind": "device"}'
    from generate_series(1, ${count}::int) as n order by n`.execute(db)
}
