import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { State } from '../devices/device.ts'
import type { Span } from './span.ts'

export interface DeviceStates {
  deviceId: string
  /** The time of the account's oldest remaining event, or null if the account has no events. */
  firstEvent: Date | null
  before: StateChange | null
  changes: StateChange[]
  /** The first change after the span. Null if there was none, or if there was a change before or in the span. */
  after: StateChange | null
}

/** A change in a device's state, or a move between accounts. */
export interface StateChange {
  /** The time of the change, in milliseconds since 1970. */
  at: number
  /** Null if the device left the account. */
  state: State | null
  isMove: boolean
}

const change = sql.raw(`jsonb_build_object('at', (extract(epoch from "timestamp") * 1000)::bigint, 'state', state,
  'isMove', type = 'DEVICE_TRANSFER')`)

export async function selectStates(
  db: Database,
  accountId: string,
  { deviceIds, span, limit }: { deviceIds: readonly string[]; span: Span; limit: number },
): Promise<DeviceStates[]> {
  const ofDevice = sql`account_id = ${accountId} and device_id = device.id and type in ('DEVICE_STATE', 'DEVICE_TRANSFER')`
  const { rows } = await sql<DeviceStates>`
    select device.id as "deviceId", before, changes,
      (select "timestamp" from event where account_id = ${accountId} order by id limit 1) as "firstEvent",
      case when before is null and changes = '[]' then (
        select ${change} from event where ${ofDevice} and "timestamp" >= ${span.until} order by id limit 1
      ) end as after
    from unnest(${deviceIds}::text[]) as device (id), lateral (
      select
        (
          select ${change} from event where ${ofDevice} and "timestamp" < ${span.from} order by id desc limit 1
        ) as before,
        coalesce((
          select jsonb_agg(${change} order by id)
          from (
            select id, "timestamp", type, state from event
            where ${ofDevice} and "timestamp" >= ${span.from} and "timestamp" < ${span.until}
            order by id limit ${limit}
          ) as change
        ), '[]') as changes
      offset 0) as found`.execute(db)
  return rows
}
