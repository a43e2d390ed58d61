import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import { type Database, query } from '../../../db/database.ts'
import { reservedColumns } from '../../attributes/attributes.ts'
import { eventInsert } from '../../events/event-insert.ts'
import type { EventSource } from '../../events/event-types.ts'
import { insideText } from '../../filters/sql/reachable-devices.ts'
import type { ServiceFields } from '../../services/new-service.ts'
import { type DeviceFields, deviceFields, type FieldName, type State } from '../device.ts'
import { changeDeviceCount, isCounted } from '../device-count.queries.ts'
import type { NewDeviceFields } from './bulk-registration.queries.ts'

const fields = Object.entries(deviceFields) as [FieldName, (typeof deviceFields)[FieldName]][]
const fieldColumns = fields.map(([, { column }]) => column).join(', ')
const namedFields = fields.map(([name, { column }]) => `${column} as "${name}"`).join(', ')
/** Returns the placeholders for the fields' values, numbered from `first`. */
const placeholders = (first: number): string => fields.map((_, index) => `$${first + index}`).join(', ')
const assignments = (first: number): string =>
  fields.map(([, { column }], index) => `${column} = $${first + index}`).join(', ')
const valuesOf = (device: DeviceFields): unknown[] => fields.map(([name]) => device[name])

export interface NewDeviceRow extends Omit<NewDeviceFields, 'secretHash' | 'services'> {
  secretHash: Buffer
  services: (ServiceFields & { id: string; addedByDevice: boolean })[]
  event: { actorId: string | null; source: EventSource; targets: unknown; data: unknown }
}

const reserved = [...reservedColumns.values()]

// The statement stores no times of the first values, because their time is `created`, which is also the event's time.
const insertDeviceText = `
  with new_device as (
    insert into device (account_id, id, created, secret_hash, attributes, ${fieldColumns})
    select $1, $2, statement_timestamp(), $3::bytea, $4::jsonb, ${placeholders(11)} where ${isCounted}
    returning account_id, id, created
  ), new_live as (
    insert into device_live (account_id, device_id, ${reserved.join(', ')})
    select d.account_id, d.id, ${reserved.map((column) => `value.${column}`).join(', ')}
    from new_device d, jsonb_to_record($5::jsonb) as value (${reserved.map((column) => `${column} text`).join(', ')})
  ), new_service as (
    insert into service (account_id, device_id, id, name, application, host, port, enabled, added_by_device)
    select d.account_id, d.id, value.id, value.name, value.application, value.host, value.port, value.enabled,
      value."addedByDevice"
    from new_device d, jsonb_to_recordset($6::jsonb) as value
      (id text, name text, application integer, host text, port integer, enabled boolean, "addedByDevice" boolean)
  ), new_count as (
    insert into device_count (account_id, devices) select account_id, 1 from new_device
  )
  ${eventInsert({
    accountId: 'account_id',
    type: `'DEVICE_REGISTER'`,
    deviceId: 'id',
    actorId: '$7',
    source: '$8::jsonb',
    targets: '$9::jsonb',
    data: '$10::jsonb',
    timestamp: 'created',
    from: 'new_device',
  })}`

/** Inserts a device and its event with one statement, which avoids the round trips of a transaction. */
export async function insertDevice(db: Database, accountId: string, device: NewDeviceRow): Promise<void> {
  await query(db, insertDeviceText, [
    accountId,
    device.id,
    device.secretHash,
    JSON.stringify(device.attributes),
    JSON.stringify(device.reserved),
    JSON.stringify(device.services),
    device.event.actorId,
    JSON.stringify(device.event.source),
    JSON.stringify(device.event.targets),
    JSON.stringify(device.event.data),
    ...valuesOf(device),
  ])
}

export interface LockedDevice extends DeviceFields {
  id: string
}

/** Returns undefined if the account has no such device, or if the caller cannot reach it. */
export async function lockDevice(
  db: Database,
  accountId: string,
  { id, inside }: { id: string; inside: ResolvedFilter | undefined },
): Promise<LockedDevice | undefined> {
  const rows =
    inside === undefined
      ? await query<LockedDevice>(
          db,
          `select id, ${namedFields} from device where account_id = $1 and id = $2 for no key update`,
          [accountId, id],
        )
      : await lockInside(db, accountId, { ids: [id], inside, lock: 'for no key update' })
  return rows[0]
}

/** Locks the given devices that a restricted caller can reach, in ID order. */
function lockInside(
  db: Database,
  accountId: string,
  { ids, inside, lock }: { ids: readonly string[]; inside: ResolvedFilter; lock: 'for no key update' | 'for update' },
): Promise<LockedDevice[]> {
  const { joins, condition, parameters } = insideText(db, accountId, { inside, used: 2 })
  return query(
    db,
    `select d.id, ${namedFields} from device d ${joins}
     where d.account_id = $1 and d.id = any($2::text[]) and ${condition} order by d.id ${lock} of d`,
    [accountId, ids, ...parameters],
  )
}

/**
 * Locks devices in ID order, which prevents deadlocks between concurrent calls. Omits unknown IDs and devices that the
 * caller cannot reach.
 */
export const lockDevicesForRemoval = (
  db: Database,
  accountId: string,
  { ids, inside }: { ids: readonly string[]; inside: ResolvedFilter | undefined },
): Promise<LockedDevice[]> =>
  inside === undefined
    ? query(db, `select id, ${namedFields} from device where account_id = $1 and id = any($2) order by id for update`, [
        accountId,
        ids,
      ])
    : lockInside(db, accountId, { ids, inside, lock: 'for update' })

/** Locks the states of devices, and returns them keyed by ID. The caller must already have locked the devices. */
export async function lockStates(db: Database, accountId: string, ids: readonly string[]): Promise<Map<string, State>> {
  const { rows } = await sql<{ id: string; state: State }>`
    select device_id as id, state from device_live
    where account_id = ${accountId} and device_id = any(${ids}) order by device_id for update`.execute(db)
  return new Map(rows.map(({ id, state }) => [id, state]))
}

export const updateDeviceRow = (db: Database, accountId: string, device: LockedDevice) =>
  query(db, `update device set ${assignments(3)} where account_id = $1 and id = $2`, [
    accountId,
    device.id,
    ...valuesOf(device),
  ])

/** Deletes the overrides of devices and their services, because the deletion of a device does not cascade to them. */
export async function deleteOverridesOfDevices(db: Database, accountId: string, ids: readonly string[]): Promise<void> {
  await sql`
    delete from attribute_override
    where account_id = ${accountId} and target_id in (
      select unnest(${ids}::text[])
      union all
      select id from service where account_id = ${accountId} and device_id = any(${ids}))`.execute(db)
}

export async function deleteDeviceRows(db: Database, accountId: string, ids: readonly string[]): Promise<void> {
  await changeDeviceCount(db, accountId, -ids.length)
  await sql`delete from device where account_id = ${accountId} and id = any(${ids})`.execute(db)
}
