import { type Database, query } from '../../db/database.ts'
import type { State } from '../devices/device.ts'
import { eventInsert, eventTargets } from '../events/event-insert.ts'
import type { EventSource } from '../events/event-types.ts'

/** Identifies a device. Devices connect and disconnect in bursts, so each statement writes devices of many accounts. */
export interface DeviceKey {
  readonly accountId: string
  readonly deviceId: string
}

const accounts = (devices: readonly DeviceKey[]): string[] => devices.map(({ accountId }) => accountId)
const ids = (devices: readonly DeviceKey[]): string[] => devices.map(({ deviceId }) => deviceId)

const deviceKeys = 'unnest($1::text[], $2::text[]) as w (account_id, device_id)'
const matchesKey = (alias: string): string => `${alias}.account_id = w.account_id and ${alias}.device_id = w.device_id`

export interface LockedDevice extends DeviceKey {
  state: State
}

/**
 * Locks devices in the order of account ID and device ID. All code that locks several devices uses this order, which
 * prevents deadlocks. Later statements read data that is at least as new as the locked rows. Omits deleted devices.
 */
export const lockDevices = (db: Database, devices: readonly DeviceKey[]) =>
  query<LockedDevice>(
    db,
    `select d.account_id as "accountId", d.id as "deviceId", l.state
     from ${deviceKeys} join device d on d.account_id = w.account_id and d.id = w.device_id
     join device_live l on l.account_id = d.account_id and l.device_id = d.id
     order by d.account_id, d.id for no key update of d, l`,
    [accounts(devices), ids(devices)],
  )

/** Finds the processes with a valid lease that hold the connections of locked devices. */
export const findHolders = (db: Database, devices: readonly DeviceKey[]) =>
  query<DeviceKey & { processId: string }>(
    db,
    `select h.account_id as "accountId", h.device_id as "deviceId", h.process_id as "processId"
     from ${deviceKeys} join device_hold h on ${matchesKey('h')}
     join server_process p on p.id = h.process_id and p.expires > statement_timestamp()`,
    [accounts(devices), ids(devices)],
  )

/** Records that the process holds the connections of locked devices. */
export const holdByProcess = (db: Database, devices: readonly DeviceKey[], processId: string) =>
  query(
    db,
    `insert into device_hold as h (account_id, device_id, process_id)
     select w.account_id, w.device_id, $3 from ${deviceKeys}
     on conflict (account_id, device_id) do update set process_id = excluded.process_id
     where h.process_id is distinct from excluded.process_id`,
    [accounts(devices), ids(devices), processId],
  )

/**
 * Records that the process no longer holds the connections of these devices. Leaves the holds of other processes
 * unchanged.
 */
export const releaseByProcess = (db: Database, devices: readonly DeviceKey[], processId: string) =>
  query(
    db,
    `update device_hold h set process_id = null from ${deviceKeys} where ${matchesKey('h')} and h.process_id = $3`,
    [accounts(devices), ids(devices), processId],
  )

export interface TimedHold extends DeviceKey {
  seconds: number
  /** Whether a longer existing hold is shortened to the given time. */
  isExact: boolean
}

/** Keeps locked devices active for the given number of seconds. */
export const holdForTime = (db: Database, holds: readonly TimedHold[]) =>
  query(
    db,
    `insert into device_hold as h (account_id, device_id, until)
     select w.account_id, w.device_id, statement_timestamp() + w.seconds * interval '1 second'
     from unnest($1::text[], $2::text[], $3::integer[]) as w (account_id, device_id, seconds)
     on conflict (account_id, device_id) do update set until = case
       when (h.account_id, h.device_id) in (select e.account_id, e.device_id from unnest($1::text[], $2::text[], $4::boolean[])
         as e (account_id, device_id, is_exact) where e.is_exact) then excluded.until
       else greatest(h.until, excluded.until) end`,
    [accounts(holds), ids(holds), holds.map(({ seconds }) => seconds), holds.map(({ isExact }) => isExact)],
  )

/** Ends the timed holds of locked devices: all holds, or only expired ones. */
export const endTimedHolds = (db: Database, devices: readonly DeviceKey[], which: 'all' | 'over') =>
  query(
    db,
    `update device_hold h set until = null from ${deviceKeys}
     where ${matchesKey('h')} and h.until is not null and ($3 or h.until <= statement_timestamp())`,
    [accounts(devices), ids(devices), which === 'all'],
  )

export const findTimedOut = (db: Database, limit: number) =>
  query<DeviceKey>(
    db,
    `select account_id as "accountId", device_id as "deviceId" from device_hold
     where until <= statement_timestamp() order by until limit $1`,
    [limit],
  )

export const findHeldBy = (db: Database, processId: string, limit: number) =>
  query<DeviceKey>(
    db,
    `select account_id as "accountId", device_id as "deviceId" from device_hold
     where process_id = $1 order by account_id, device_id limit $2`,
    [processId, limit],
  )

export interface AddressedDevice extends DeviceKey {
  /** The network address of the reporter. Events contain it. */
  address?: string | undefined
}

const addressed = `unnest($1::text[], $2::text[], $3::text[]) as w (account_id, device_id, address)`
const addressedParameters = (devices: readonly AddressedDevice[]) => [
  accounts(devices),
  ids(devices),
  devices.map(({ address }) => address ?? null),
]

const device = { id: 'w.device_id', name: 'w.name', kind: 'device' } as const

/** Returns the event of a device's new state. $4 is the source. */
const deviceState = (state: State) => ({
  accountId: 'w.account_id',
  type: `'DEVICE_STATE'`,
  deviceId: 'w.device_id',
  source: '$4::jsonb',
  targets: eventTargets(device),
  state: `'${state}'`,
  data: `jsonb_strip_nulls(jsonb_build_object('address', w.address))`,
  // The event keeps the values from before the change, because they are needed to judge earlier events.
  previous: `jsonb_build_object('stateSince', w.state_since, 'lastReported', w.last_reported)`,
})

/** Makes locked devices active and updates their report times. Records an event for each device that was inactive. */
export const activate = (db: Database, devices: readonly AddressedDevice[], source: EventSource) =>
  query(
    db,
    `with before as materialized (
       select w.*, d.name, l.state, l.state_since, l.last_reported from ${addressed}
       join device d on d.account_id = w.account_id and d.id = w.device_id
       join device_live l on ${matchesKey('l')}
     ), moved as (
       update device_live l set state = 'active', last_reported = statement_timestamp(),
         state_since = case l.state when 'active' then l.state_since else statement_timestamp() end
       from before w where ${matchesKey('l')}
     )
     ${eventInsert({ ...deviceState('active'), from: `before w where state <> 'active'` })}`,
    [...addressedParameters(devices), JSON.stringify(source)],
  )

/**
 * Makes locked devices without a hold inactive, together with their services that reported a state. Records an event
 * for each change.
 */
export const deactivateUnheld = (db: Database, devices: readonly AddressedDevice[], source: EventSource) =>
  query(
    db,
    `with unheld as materialized (
       select w.*, d.name, l.state_since, l.last_reported
       from ${addressed} join device d on d.account_id = w.account_id and d.id = w.device_id
       join device_live l on ${matchesKey('l')}
       where not exists (select from device_hold h
         where ${matchesKey('h')} and (h.process_id is not null or h.until > statement_timestamp()))
     ), emptied as (
       delete from device_hold h using unheld w where ${matchesKey('h')}
     ), moved as (
       update device_live l set state = 'inactive', state_since = statement_timestamp()
       from unheld w where ${matchesKey('l')} and l.state <> 'inactive' returning w.*
     ), moved_service as (
       update service_live l set state = 'inactive', state_since = statement_timestamp(), until = null
       from unheld w join service_live was on ${matchesKey('was')}
       where ${matchesKey('l')} and l.service_id = was.service_id and l.state <> 'inactive'
       returning w.account_id, w.device_id, w.address, w.name, l.service_id, was.state_since, was.last_reported
     )
     ${eventInsert(
       { ...deviceState('inactive'), from: 'moved w' },
       {
         ...deviceState('inactive'),
         type: `'SERVICE_STATE'`,
         targets: eventTargets({ id: 's.id', name: 's.name', kind: 'service' }, device),
         from: 'moved_service w join service s on s.account_id = w.account_id and s.id = w.service_id',
       },
     )}`,
    [...addressedParameters(devices), JSON.stringify(source)],
  )

/** Records the current time as the last report of locked devices. */
export const touch = (db: Database, devices: readonly DeviceKey[]) =>
  query(
    db,
    `update device_live l set last_reported = statement_timestamp() from ${deviceKeys} where ${matchesKey('l')}`,
    [accounts(devices), ids(devices)],
  )
