import { type Database, query } from '../../db/database.ts'
import type { State } from '../devices/device.ts'
import { eventInsert, eventTargets } from '../events/event-insert.ts'
import type { EventSource } from '../events/event-types.ts'
import { accountsOf, type DeviceKey, devicesText } from './device-keys.ts'
import { selectValidLeases } from './leases.queries.ts'

const ids = (devices: readonly DeviceKey[]): string[] => devices.map(({ deviceId }) => deviceId)

export interface LockedDevice extends DeviceKey {
  state: State
}

/**
 * Locks devices in the order of account ID and device ID. Code that locks several devices must use this order, to
 * prevent deadlocks. Later statements read data that is at least as new as the locked rows. Omits devices that were
 * deleted or moved to another account.
 */
export const lockDevices = async (db: Database, devices: readonly DeviceKey[]): Promise<LockedDevice[]> =>
  devices.length === 0 ? [] : query(db, lockText(devices), [accountsOf(devices), ids(devices)])

const lockText = devicesText(
  ({ rows, is }) =>
    `select d.account_id as "accountId", d.id as "deviceId", l.state
     from ${rows()} join device d on ${is('d', 'id')} join device_live l on ${is('l')}
     order by d.account_id, d.id for no key update of d, l`,
)

/**
 * Returns the devices that a process with a valid lease holds, with the ID of that process. Reads the holds and the
 * leases in separate statements, because a cluster stores them on different nodes.
 */
export async function findHolders(
  db: Database,
  devices: readonly DeviceKey[],
): Promise<(DeviceKey & { processId: string })[]> {
  const holders = await query<DeviceKey & { processId: string }>(db, holdersText(devices), [
    accountsOf(devices),
    ids(devices),
  ])
  if (holders.length === 0) return holders
  const valid = await selectValidLeases(db, [...new Set(holders.map(({ processId }) => processId))])
  return holders.filter(({ processId }) => valid.has(processId))
}

const holdersText = devicesText(
  ({ rows, is }) =>
    `select h.account_id as "accountId", h.device_id as "deviceId", h.process_id as "processId"
     from ${rows()} join device_hold h on ${is('h')} and h.process_id is not null`,
)

export const holdByProcess = (db: Database, devices: readonly DeviceKey[], processId: string) =>
  query(db, holdText(devices), [accountsOf(devices), ids(devices), processId])

const holdText = devicesText(
  ({ rows }) =>
    `insert into device_hold as h (account_id, device_id, process_id)
     select w.account_id, w.device_id, $3 from ${rows()}
     on conflict (account_id, device_id) do update set process_id = excluded.process_id
     where h.process_id is distinct from excluded.process_id`,
)

/** Ends the process's holds on the devices. If `processId` is null, ends the holds of all processes. */
export const releaseByProcess = (db: Database, devices: readonly DeviceKey[], processId: string | null) =>
  query(db, releaseText(devices), [accountsOf(devices), ids(devices), processId])

const releaseText = devicesText(
  ({ rows, is }) =>
    `update device_hold h set process_id = null from ${rows()}
     where ${is('h')} and h.process_id = coalesce($3, h.process_id)`,
)

export interface TimedHold {
  deviceId: string
  seconds: number
  /** Whether to shorten an existing hold that lasts longer than `seconds`. */
  isExact: boolean
}

export async function holdForTime(db: Database, accountId: string, holds: readonly TimedHold[]): Promise<void> {
  for (const isExact of [true, false]) {
    const chosen = holds.filter((hold) => hold.isExact === isExact)
    if (chosen.length === 0) continue
    const seconds = chosen.map((hold) => hold.seconds)
    await query(db, holdForTimeText(isExact), [accountId, chosen.map(({ deviceId }) => deviceId), seconds])
  }
}

// A cluster does not accept parameters in `on conflict`, so there is one statement for each value of `isExact`.
const holdForTimeText = (isExact: boolean): string =>
  `insert into device_hold as h (account_id, device_id, until)
   select $1, w.device_id, statement_timestamp() + w.seconds * interval '1 second'
   from unnest($2::text[], $3::integer[]) as w (device_id, seconds)
   on conflict (account_id, device_id) do update
   set until = ${isExact ? 'excluded.until' : 'greatest(h.until, excluded.until)'}`

export const endTimedHolds = (db: Database, devices: readonly DeviceKey[], which: 'all' | 'over') =>
  query(db, endTimedText(devices), [accountsOf(devices), ids(devices), which === 'all'])

const endTimedText = devicesText(
  ({ rows, is }) =>
    `update device_hold h set until = null from ${rows()}
     where ${is('h')} and h.until is not null and ($3 or h.until <= statement_timestamp())`,
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
  /** The network address of the device or caller that reports. Events contain this address. */
  address?: string | undefined
}

const address = { name: 'address', type: 'text' }
const addressedParameters = (devices: readonly AddressedDevice[]) => [
  accountsOf(devices),
  ids(devices),
  devices.map((device) => device.address ?? null),
]

const device = { id: 'w.device_id', name: 'w.name', kind: 'device' } as const

/** Describes the event that records a device's new state. In the statement, the parameter $4 is the event's source. */
const deviceState = (state: State) => ({
  accountId: 'w.account_id',
  type: `'DEVICE_STATE'`,
  deviceId: 'w.device_id',
  source: '$4::jsonb',
  targets: eventTargets(device),
  state: `'${state}'`,
  data: `jsonb_strip_nulls(jsonb_build_object('address', w.address))`,
  // The event contains the previous values, because the server needs them to evaluate filters for earlier events.
  previous: `jsonb_build_object('stateSince', w.state_since, 'lastReported', w.last_reported)`,
})

/** Makes devices active and updates their report times. Records an event for each device that was inactive. */
export const activate = (db: Database, devices: readonly AddressedDevice[], source: EventSource) =>
  query(db, activateText(devices), [...addressedParameters(devices), JSON.stringify(source)])

const activateText = devicesText(
  ({ rows, is }) =>
    `with before as materialized (
       select w.*, d.name, l.state, l.state_since, l.last_reported,
         case l.state when 'active' then l.state_since else statement_timestamp() end as since
       from ${rows(address)} join device d on ${is('d', 'id')} join device_live l on ${is('l')}
     ), moved as (
       update device_live l set state = 'active', last_reported = statement_timestamp(), state_since = w.since
       from before w where ${is('l')}
     )
     ${eventInsert({ ...deviceState('active'), from: `before w where state <> 'active'` })}`,
)

/**
 * Makes devices without holds, and their services, inactive. Records an event for each device that was active, and for
 * each active service that has reported its own state.
 */
export const deactivateUnheld = (db: Database, devices: readonly AddressedDevice[], source: EventSource) =>
  query(db, deactivateText(devices), [...addressedParameters(devices), JSON.stringify(source)])

const deactivateText = devicesText(
  ({ rows, is }) =>
    `with unheld as materialized (
       select w.*, d.name, l.state_since, l.last_reported
       from ${rows(address)} join device d on ${is('d', 'id')} join device_live l on ${is('l')}
       where not exists (select from device_hold h
         where ${is('h')} and (h.process_id is not null or h.until > statement_timestamp()))
     ), emptied as (
       delete from device_hold h using unheld w where ${is('h')}
     ), moved as (
       update device_live l set state = 'inactive', state_since = statement_timestamp()
       from unheld w where ${is('l')} and l.state <> 'inactive' returning w.*
     ), moved_service as (
       update service_live l set state = 'inactive', state_since = statement_timestamp(), until = null
       from unheld w join service_live was on ${is('was')}
       where ${is('l')} and l.service_id = was.service_id and l.state <> 'inactive'
       returning w.account_id, w.device_id, w.address, w.name, l.service_id, was.state_since, was.last_reported
     )
     ${eventInsert(
       { ...deviceState('inactive'), from: 'moved w' },
       {
         ...deviceState('inactive'),
         type: `'SERVICE_STATE'`,
         targets: eventTargets({ id: 's.id', name: 's.name', kind: 'service' }, device),
         from: `moved_service w join service s on ${is('s', 'device_id')} and s.id = w.service_id`,
       },
     )}`,
)

export const touch = (db: Database, devices: readonly DeviceKey[]) =>
  query(db, touchText(devices), [accountsOf(devices), ids(devices)])

const touchText = devicesText(
  ({ rows, is }) => `update device_live l set last_reported = statement_timestamp() from ${rows()} where ${is('l')}`,
)
