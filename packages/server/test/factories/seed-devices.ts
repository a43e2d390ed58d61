import { sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import type { OverrideNames } from '../../src/features/attributes/target.ts'
import { isCounted } from '../../src/features/devices/device-count.queries.ts'
import { newId } from '../../src/features/devices/device-id.ts'

export interface SeedDevice {
  id?: string
  name?: string
  hardwareId?: string | null
  platform?: string | null
  created?: Date
  state?: 'active' | 'inactive'
  lastReported?: Date | null
  statusA?: string | null
  attributes?: object
  /** The attribute overrides of the device, keyed by context. */
  overrides?: Record<string, object>
}

/** Inserts the devices into the database, because registering them would take too long. Returns their IDs. */
export async function seedDevices(db: Database, accountId: string, devices: readonly SeedDevice[]): Promise<string[]> {
  const rows = devices.map(({ id = newId(), name = 'device', overrides = {}, ...rest }) => ({
    id,
    name,
    overrides,
    overrideNames: overrideNames(overrides),
    ...rest,
  }))
  await sql`
    with seed as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (
        id text, name text, "hardwareId" text, platform text, created timestamptz, state text, "lastReported" timestamptz,
        "statusA" text, attributes jsonb, overrides jsonb, "overrideNames" jsonb)
    ), new_device as (
      insert into device (account_id, id, name, hardware_id, platform, created, attributes, override_names)
      select ${accountId}, id, name, "hardwareId", platform, coalesce(created, now()), coalesce(attributes, '{}'),
        "overrideNames" from seed
      where ${sql.raw(isCounted)}
    ), new_live as (
      insert into device_live (account_id, device_id, state, last_reported, status_a)
      select ${accountId}, id, coalesce(state, 'inactive'), "lastReported", "statusA" from seed
    ), new_count as (
      insert into device_count (account_id, devices) select ${accountId}, count(*) from seed
    )
    insert into attribute_override (account_id, target_id, context, attributes)
    select ${accountId}, id, key, value from seed, jsonb_each(overrides)`.execute(db)
  return rows.map(({ id }) => id)
}

function overrideNames(overrides: Record<string, object>): OverrideNames {
  const names: OverrideNames = {}
  for (const [name, value] of Object.values(overrides).flatMap((each) => Object.entries(each)))
    names[name] = [typeof value === 'string' ? 'value' : 'group', (names[name]?.[1] ?? 0) + 1]
  return names
}
