import type { ResolvedFilter } from '@muster/filter'
import { type Database, query } from '../../db/database.ts'
import type { State } from '../devices/device.ts'
import { eventInsert, eventTargets } from '../events/event-insert.ts'
import { serverSource } from '../events/event-source.ts'
import type { EventSource } from '../events/event-types.ts'
import { insideText } from '../filters/sql/reachable-devices.ts'
import { accountsOf, type DeviceKey, devicesText } from './device-keys.ts'

/**
 * Returns the IDs of the devices with these IDs, and of the devices whose services have these IDs. With `inside`,
 * returns only devices that `inside` matches, and locks these devices.
 */
export async function findDeviceIds(
  db: Database,
  accountId: string,
  { ids, inside }: { ids: readonly string[]; inside: ResolvedFilter | undefined },
): Promise<string[]> {
  if (inside !== undefined) return lockDevicesInside(db, accountId, { ids, inside })
  const rows = await query<{ id: string }>(
    db,
    `select id from device where account_id = $1 and id = any($2::text[])
     union select device_id from service where account_id = $1 and id = any($2::text[])`,
    [accountId, ids],
  )
  return rows.map(({ id }) => id)
}

/** The locks ensure that `inside` matches the devices until the transaction ends. */
async function lockDevicesInside(
  db: Database,
  accountId: string,
  { ids, inside }: { ids: readonly string[]; inside: ResolvedFilter },
): Promise<string[]> {
  const { joins, condition, parameters } = insideText(db, accountId, { inside, used: 2 })
  const rows = await query<{ id: string }>(
    db,
    `select d.id from device d ${joins} where d.account_id = $1 and d.id = any(array(
       select unnest($2::text[]) union select device_id from service where account_id = $1 and id = any($2::text[])))
     and ${condition} order by d.id for no key update of d`,
    [accountId, ids, ...parameters],
  )
  return rows.map(({ id }) => id)
}

/**
 * Locks services in ID order, and returns them. Omits services of devices that are not in `deviceIds`. The caller must
 * already have locked these devices.
 */
export const lockServices = (
  db: Database,
  accountId: string,
  { ids, deviceIds }: { ids: readonly string[]; deviceIds: readonly string[] },
) =>
  query<{ id: string; deviceId: string }>(
    db,
    `select id, device_id as "deviceId" from service
     where account_id = $1 and id = any($2::text[]) and device_id = any($3::text[]) order by id for no key update`,
    [accountId, ids, deviceIds],
  )

export interface ServiceStateRow {
  id: string
  deviceId: string
  state: State
  /** How long the state is valid, in seconds. Null means until the next report or until the device is inactive. */
  seconds: number | null
  address: string | null
  /** The device's previous state, which is also the service's state until the service first reports a state. */
  followed: State
}

/** Saves the reported states of services. Records an event for each state change. */
export const saveServiceStates = (
  db: Database,
  accountId: string,
  { rows, source }: { rows: readonly ServiceStateRow[]; source: EventSource },
) =>
  query(
    db,
    `with reported as materialized (
       select r.*, s.name, d.name as device_name, coalesce(l.state, r.followed) as old,
         jsonb_build_object('state', l.state, 'stateSince', l.state_since, 'lastReported', l.last_reported) as previous
       from unnest($2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::text[])
         as r (id, device_id, state, seconds, address, followed)
       join service s on s.account_id = $1 and s.id = r.id
       join device d on d.account_id = $1 and d.id = r.device_id
       left join service_live l on l.account_id = $1 and l.service_id = r.id
     ), saved as (
       insert into service_live as l (account_id, service_id, device_id, state, state_since, last_reported, until)
       select $1, id, device_id, state, statement_timestamp(), statement_timestamp(),
         statement_timestamp() + seconds * interval '1 second' from reported
       on conflict (account_id, service_id) do update set state = excluded.state, last_reported = excluded.last_reported,
         until = excluded.until,
         state_since = case l.state when excluded.state then l.state_since else excluded.state_since end
     )
     ${eventInsert({
       accountId: '$1',
       type: `'SERVICE_STATE'`,
       deviceId: 'device_id',
       source: '$8::jsonb',
       targets: eventTargets(
         { id: 'id', name: 'name', kind: 'service' },
         { id: 'device_id', name: 'device_name', kind: 'device' },
       ),
       state: 'state',
       data: `jsonb_strip_nulls(jsonb_build_object('address', address))`,
       previous: 'previous',
       from: 'reported where state <> old',
     })}`,
    [
      accountId,
      rows.map(({ id }) => id),
      rows.map(({ deviceId }) => deviceId),
      rows.map(({ state }) => state),
      rows.map(({ seconds }) => seconds),
      rows.map(({ address }) => address),
      rows.map(({ followed }) => followed),
      JSON.stringify(source),
    ],
  )

export const findTimedOutServices = (db: Database, limit: number) =>
  query<{ accountId: string; deviceId: string }>(
    db,
    `select distinct account_id as "accountId", device_id as "deviceId" from (
       select account_id, device_id from service_live where until <= statement_timestamp() order by until limit $1) over`,
    [limit],
  )

/** Makes each service inactive if its reported active state has expired, and records an event for the service. */
export const endTimedServices = (db: Database, devices: readonly DeviceKey[]) =>
  query(db, endTimedText(devices), [
    accountsOf(devices),
    devices.map(({ deviceId }) => deviceId),
    JSON.stringify(serverSource),
  ])

const endTimedText = devicesText(
  ({ rows, is }) =>
    `with moved as (
       update service_live l set state = 'inactive', state_since = statement_timestamp(), until = null
       from ${rows()} join service_live was on ${is('was')}
       where ${is('l')} and l.service_id = was.service_id and l.until <= statement_timestamp()
       returning w.account_id, w.device_id, l.service_id, was.state_since, was.last_reported
     )
     ${eventInsert({
       accountId: 'w.account_id',
       type: `'SERVICE_STATE'`,
       deviceId: 'w.device_id',
       source: '$3::jsonb',
       targets: eventTargets(
         { id: 's.id', name: 's.name', kind: 'service' },
         { id: 'd.id', name: 'd.name', kind: 'device' },
       ),
       state: `'inactive'`,
       previous: `jsonb_build_object('stateSince', w.state_since, 'lastReported', w.last_reported)`,
       from: `moved w join service s on ${is('s', 'device_id')} and s.id = w.service_id join device d on ${is('d', 'id')}`,
     })}`,
)

/** Ensures that only one process at a time handles expired reports. Returns false if another process has the lock. */
export async function lockSweep(db: Database): Promise<boolean> {
  const rows = await query<{ locked: boolean }>(db, 'select pg_try_advisory_xact_lock(hashtext($1)) as locked', [
    'muster presence',
  ])
  return rows[0]!.locked
}
