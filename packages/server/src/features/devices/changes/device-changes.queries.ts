import { sql } from 'kysely'
import { type Database, query } from '../../../db/database.ts'
import type { EventSource } from '../../events/event-types.ts'
import type { State } from '../device.ts'

export interface NewDeviceRow {
  id: string
  name: string
  hardwareId: string | null
  platform: string | null
  secretHash: Buffer
  /** Base values of all attributes except the reserved ones. */
  attributes: Record<string, unknown>
  /** Reserved values, keyed by their column in device_live. */
  reserved: Record<string, string>
  services: NewServiceRow[]
  eventTargets: unknown
  eventData: unknown
  actorId: string | null
  source: EventSource
}

export interface NewServiceRow {
  id: string
  name: string
  application: number
  host: string | null
  port: number | null
  enabled: boolean
  addedByDevice: boolean
}

const reservedColumns = ['category', 'status'].flatMap((kind) =>
  ['a', 'b', 'c', 'd', 'e'].map((letter) => `${kind}_${letter}`),
)

/** A single statement is atomic without the round trips of a transaction. It inserts the event last. */
const insertDeviceText = `
  with new_device as (
    insert into device (account_id, id, name, hardware_id, platform, secret_hash, attributes)
    values ($1, $2, $3, $4, $5, $6, $7::jsonb)
    returning account_id, id
  ), new_live as (
    insert into device_live (account_id, device_id, ${reservedColumns.join(', ')})
    select d.account_id, d.id, ${reservedColumns.map((column) => `value.${column}`).join(', ')}
    from new_device d, jsonb_to_record($8::jsonb) as value (${reservedColumns.map((column) => `${column} text`).join(', ')})
  ), new_service as (
    insert into service (account_id, device_id, id, name, application, host, port, enabled, added_by_device)
    select d.account_id, d.id, value.id, value.name, value.application, value.host, value.port, value.enabled,
      value."addedByDevice"
    from new_device d, jsonb_to_recordset($9::jsonb) as value
      (id text, name text, application integer, host text, port integer, enabled boolean, "addedByDevice" boolean)
  )
  insert into event (account_id, type, device_id, actor_id, source, targets, data)
  select account_id, 'DEVICE_REGISTER', id, $12, $13::jsonb, $10::jsonb, $11::jsonb from new_device`

export async function insertDevice(db: Database, accountId: string, device: NewDeviceRow): Promise<void> {
  await query(db, insertDeviceText, [
    accountId,
    device.id,
    device.name,
    device.hardwareId,
    device.platform,
    device.secretHash,
    JSON.stringify(device.attributes),
    JSON.stringify(device.reserved),
    JSON.stringify(device.services),
    JSON.stringify(device.eventTargets),
    JSON.stringify(device.eventData),
    device.actorId,
    JSON.stringify(device.source),
  ])
}

export interface LockedDevice {
  id: string
  name: string
  hardwareId: string | null
  platform: string | null
}

/** Locks a device against concurrent changes. Returns undefined if the account has no such device. */
export async function lockDevice(db: Database, accountId: string, id: string): Promise<LockedDevice | undefined> {
  const { rows } = await sql<LockedDevice>`
    select id, name, hardware_id as "hardwareId", platform from device
    where account_id = ${accountId} and id = ${id} for no key update`.execute(db)
  return rows[0]
}

/** Locks devices for removal in ID order, which prevents deadlocks between concurrent calls. */
export async function lockDevicesForRemoval(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<LockedDevice[]> {
  const { rows } = await sql<LockedDevice>`
    select id, name, hardware_id as "hardwareId", platform from device
    where account_id = ${accountId} and id = any(${ids}) order by id for update`.execute(db)
  return rows
}

/** Locks and returns the current states. The caller must already have locked the devices. */
export async function lockStates(db: Database, accountId: string, ids: readonly string[]): Promise<Map<string, State>> {
  const { rows } = await sql<{ id: string; state: State }>`
    select device_id as id, state from device_live
    where account_id = ${accountId} and device_id = any(${ids}) order by device_id for update`.execute(db)
  return new Map(rows.map(({ id, state }) => [id, state]))
}

export async function updateDeviceRow(db: Database, accountId: string, device: LockedDevice): Promise<void> {
  await sql`
    update device set name = ${device.name}, hardware_id = ${device.hardwareId}, platform = ${device.platform}
    where account_id = ${accountId} and id = ${device.id}`.execute(db)
}

/** Deletes the overrides of devices and their services. Foreign keys cascade to all other device data. */
export async function deleteOverridesOfDevices(db: Database, accountId: string, ids: readonly string[]): Promise<void> {
  await sql`
    delete from attribute_override
    where account_id = ${accountId} and target_id in (
      select unnest(${ids}::text[])
      union all
      select id from service where account_id = ${accountId} and device_id = any(${ids}))`.execute(db)
}

export async function deleteDeviceRows(db: Database, accountId: string, ids: readonly string[]): Promise<void> {
  await sql`delete from device where account_id = ${accountId} and id = any(${ids})`.execute(db)
}
