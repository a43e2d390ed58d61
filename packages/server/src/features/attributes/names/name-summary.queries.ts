import { type Database, query } from '../../../db/database.ts'
import type { AttributeName } from './attribute-names.queries.ts'

export interface NameSummary {
  names: AttributeName[]
  /** The counts include every event up to the one with this ID. */
  eventId: bigint
  /** The number of seconds since the count. */
  age: number
  /** The current number of devices in the account. */
  devices: number
}

interface SummaryRow extends Omit<NameSummary, 'eventId' | 'names'> {
  eventId: string
  names: (Omit<AttributeName, 'lastChanged'> & { lastChanged: string | null })[]
}

export async function findSummary(db: Database, accountId: string): Promise<NameSummary | undefined> {
  const [row] = await query<SummaryRow>(
    db,
    `select event_id::text as "eventId", extract(epoch from now() - counted)::float8 as age,
       (select coalesce(sum(devices), 0) from device_count where account_id = $1)::int as devices,
       (select coalesce(json_agg(json_build_object(
           'name', name, 'devices', devices, 'services', services, 'lastChanged', last_changed)), '[]')
         from attribute_name where account_id = $1) as names
     from attribute_name_summary where account_id = $1`,
    [accountId],
  )
  if (row === undefined) return undefined
  const names = row.names.map((name) => ({
    ...name,
    lastChanged: name.lastChanged ? new Date(name.lastChanged) : null,
  }))
  return { ...row, eventId: BigInt(row.eventId), names }
}

/**
 * Records that the account's names are counted up to the event. Changes nothing and returns false if the saved counts
 * include later events. Must run in a transaction.
 */
export async function advanceSummary(db: Database, accountId: string, eventId: bigint): Promise<boolean> {
  const rows = await query(
    db,
    `insert into attribute_name_summary as summary (account_id, event_id, counted) values ($1, $2, now())
     on conflict (account_id) do update set event_id = excluded.event_id, counted = excluded.counted
     where summary.event_id <= excluded.event_id returning event_id`,
    [accountId, eventId],
  )
  return rows.length > 0
}

export const deleteOtherNames = (db: Database, accountId: string, names: readonly string[]) =>
  query(db, 'delete from attribute_name where account_id = $1 and name <> all($2::text[])', [accountId, names])

export const writeNames = (db: Database, accountId: string, names: readonly AttributeName[]) =>
  query(
    db,
    `insert into attribute_name as known (account_id, name, devices, services, last_changed)
     select $1, counted.* from unnest($2::text[], $3::int[], $4::int[], $5::timestamptz[]) as counted
     on conflict (account_id, name) do update
       set devices = excluded.devices, services = excluded.services, last_changed = excluded.last_changed
       where (known.devices, known.services, known.last_changed)
         is distinct from (excluded.devices, excluded.services, excluded.last_changed)`,
    [
      accountId,
      names.map(({ name }) => name),
      names.map(({ devices }) => devices),
      names.map(({ services }) => services),
      names.map(({ lastChanged }) => lastChanged),
    ],
  )
