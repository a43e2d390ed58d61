import { sql } from 'kysely'
import type { TestApp } from '../packages/server/test/harness/app.ts'
import type { Person } from './harness.ts'

interface Spacing {
  secondsApart: number
  /** How many seconds the newest change is ago. */
  secondsAgo?: number
  /** The number of devices that the changes are of, in turn. */
  devices?: number
}

/** Adds events to a user's log: changes of the attribute `site` to `place-1`, `place-2`, and so on. The last one is the newest. */
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
