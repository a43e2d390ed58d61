import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { State } from '../devices/device.ts'
import type { Span } from './span.ts'

/** The data for computing one device's availability. */
export interface DeviceStates {
  deviceId: string
  /** The time of the account's oldest remaining event, or null if the account has no events. */
  firstEvent: Date | null
  /** The state after the last change before the span, or null if there was no such change. */
  stateBefore: State | null
  /** The changes within the span. Each has its time in milliseconds since 1970, and whether the device came online. */
  changes: [at: number, isActive: boolean][]
}

/** Selects each device's state before the span, and at most `limit` of its state changes within the span. */
export async function selectStates(
  db: Database,
  accountId: string,
  { deviceIds, span, limit }: { deviceIds: readonly string[]; span: Span; limit: number },
): Promise<DeviceStates[]> {
  const { rows } = await sql<DeviceStates>`
    select device.id as "deviceId",
      (select "timestamp" from event where account_id = ${accountId} order by id limit 1) as "firstEvent",
      (
        select state from event
        where account_id = ${accountId} and device_id = device.id and type = 'DEVICE_STATE' and "timestamp" < ${span.from}
        order by id desc limit 1
      ) as "stateBefore",
      coalesce((
        select jsonb_agg(jsonb_build_array(floor(date_part('epoch', "timestamp") * 1000), state = 'active') order by id)
        from (
          select id, "timestamp", state from event
          where account_id = ${accountId} and device_id = device.id and type = 'DEVICE_STATE'
            and "timestamp" >= ${span.from} and "timestamp" < ${span.until}
          order by id limit ${limit}
        ) as change
      ), '[]') as changes
    from unnest(${deviceIds}::text[]) as device (id)`.execute(db)
  return rows
}
