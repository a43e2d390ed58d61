import type { Context } from '../../../context.ts'
import { type Database, inTransaction } from '../../../db/database.ts'
import { isUniqueViolation } from '../../../db/database-errors.ts'
import { ApiError, limitExceeded, notFound } from '../../../errors.ts'
import { assertName } from '../../../lib/string-checks.ts'
import { limits } from '../../../limits.ts'
import { insideOf } from '../../../restriction.ts'
import type { Viewer } from '../../../viewer.ts'
import { assertWritable } from '../../attributes/attribute-access.ts'
import { initialAttributes } from '../../attributes/initial-attributes.ts'
import { flattenAttributes } from '../../attributes/parse-attributes.ts'
import { actorOf, sourceOf } from '../../events/event-source.ts'
import { fieldChanges, recordEvents } from '../../events/record.ts'
import { createOnce } from '../../idempotency/record-created.ts'
import { assertMayChangeFields, registersOutside } from '../../restrictions/assert-may-change.ts'
import { newService, type ServiceInput } from '../../services/new-service.ts'
import { assertFewServices } from '../../services/services-of-many-devices.ts'
import { type DeviceFields, deviceFields, type FieldName } from '../device.ts'
import { newId, parseId } from '../device-id.ts'
import { deviceExists } from '../devices.queries.ts'
import { selectDeletedContents } from './deleted-devices.queries.ts'
import {
  deleteDeviceRows,
  deleteOverridesOfDevices,
  insertDevice,
  type LockedDevice,
  lockDevice,
  lockDevicesForRemoval,
  lockStates,
  type NewDeviceRow,
  updateDeviceRow,
} from './device-changes.queries.ts'
import { hashDeviceSecret, newDeviceSecret } from './device-secret.ts'
import { cutOffDevices } from './send-recheck-notifications.queries.ts'

/** An omitted field is unset on a new device and unchanged on an existing one. */
export type DeviceChange = Partial<Record<FieldName, string | null | undefined>>

export interface DeviceInput extends DeviceChange {
  name: string
  /** `addedByDevice` means that the device itself added the service and may remove it later. */
  services?: readonly (ServiceInput & { addedByDevice?: boolean })[] | null | undefined
  attributes?: Record<string, unknown> | null | undefined
}

export interface RegisteredDevice {
  id: string
  /** Returned only once, because the server stores only a hash. */
  secret: string
  services: { id: string; name: string }[]
}

/** `registrationCode` is the ID of the code that the device sent, if any. */
export async function registerDevice(
  context: Pick<Context, 'db' | 'viewer' | 'once'>,
  input: DeviceInput,
  registrationCode?: string,
): Promise<RegisteredDevice> {
  const { viewer } = context
  assertDeviceFields(input)
  const services = newServices(input.services ?? [])
  const { attributes, reserved } = initialAttributes(input.attributes ?? {}, 'attributes')
  for (const { name } of flattenAttributes(input.attributes ?? {}, 'attributes')) assertWritable(viewer, { name })

  const id = newId()
  const secret = newDeviceSecret()
  const device = changed({ id, ...unset }, input)
  const data = { ...valuesOf(device), services, attributes: input.attributes ?? {}, registrationCode }
  const row = {
    ...device,
    secretHash: hashDeviceSecret(secret),
    attributes,
    reserved,
    services: services.map((service, index) => ({
      ...service,
      addedByDevice: input.services?.[index]?.addedByDevice ?? false,
    })),
    event: { actorId: actorOf(viewer), source: sourceOf(viewer), targets: [target(device)], data },
  }
  const insert = (db: Database) => insertInside(db, viewer, row)
  await rejectDuplicateHardwareId(device.hardwareId, () =>
    createOnce(context, insert, () => ({ kind: 'device', id, secret })),
  )
  return { id, secret, services: services.map((service) => ({ id: service.id, name: service.name })) }
}

/** Throws FORBIDDEN if the viewer is restricted to devices that would not include the new device. */
async function insertInside(db: Database, viewer: Viewer, row: NewDeviceRow): Promise<void> {
  const { accountId } = viewer
  const inside = insideOf(viewer)
  if (inside === undefined) return insertDevice(db, accountId, row)
  await inTransaction(db, async (transaction) => {
    await insertDevice(transaction, accountId, row)
    if (await deviceExists(transaction, accountId, { id: row.id, inside })) return
    throw registersOutside()
  })
}

/**
 * Returns the device's ID in its stored form. In `change`, null clears a field, but leaves the name unchanged. Throws
 * CONFLICT if another device has the hardware ID.
 */
export async function updateDevice(context: Context, deviceId: string, change: DeviceChange): Promise<string> {
  assertDeviceFields(change)
  await rejectDuplicateHardwareId(change.hardwareId ?? null, () =>
    context.db.transaction().execute(async (transaction) => {
      const before = await getDeviceLocked(transaction, context, deviceId)
      const after = changed(before, change)
      const changes = fieldChanges(before, after)
      if (changes === undefined) return
      assertMayChangeFields(context.viewer, Object.keys(changes))
      await updateDeviceRow(transaction, context.viewer.accountId, after)
      await recordEvents(transaction, context, [
        { type: 'DEVICE_UPDATE', deviceId: after.id, targets: [target(after)], data: { changes } },
      ])
    }),
  )
  return deviceId.toLowerCase()
}

/**
 * Deletes either all of the devices or none of them. Throws NOT_FOUND if one of them does not exist or the viewer
 * cannot reach it. Without `force`, throws CONFLICT if any of them is active.
 */
export async function deleteDevices(context: Context, deviceIds: readonly string[], force: boolean): Promise<void> {
  const ids = readDeviceIds(deviceIds)
  await context.db.transaction().execute(async (transaction) => {
    const devices = await lockAllToRemove(transaction, context.viewer, ids)
    if (!force) await assertNoneActive(transaction, context.viewer.accountId, ids)
    await deleteLockedDevices(transaction, context, devices)
  })
}

export function readDeviceIds(deviceIds: readonly string[]): string[] {
  if (deviceIds.length > limits.idsPerList)
    throw limitExceeded(`deviceId accepts at most ${limits.idsPerList} IDs, found ${deviceIds.length}`)
  return [...new Set(deviceIds.map(readDeviceId))]
}

/** Throws NOT_FOUND if one of the devices does not exist or the viewer cannot reach it. */
export async function lockAllToRemove(
  transaction: Database,
  viewer: Viewer,
  ids: readonly string[],
): Promise<LockedDevice[]> {
  const devices = await lockDevicesForRemoval(transaction, viewer.accountId, { ids, inside: insideOf(viewer) })
  const found = new Set(devices.map(({ id }) => id))
  const missing = ids.find((id) => !found.has(id))
  if (missing !== undefined) throw notFound('device', missing)
  return devices
}

/**
 * Deletes the devices, records their DEVICE_DELETE events, and disconnects them. If a device has an `eventId`, its
 * event gets that ID.
 */
export async function deleteLockedDevices(
  transaction: Database,
  context: Pick<Context, 'viewer'>,
  devices: readonly (LockedDevice & { eventId?: string })[],
): Promise<void> {
  for (let from = 0; from < devices.length; from += DELETED_AT_ONCE)
    await deleteLocked(transaction, context, devices.slice(from, from + DELETED_AT_ONCE))
  const ids = devices.map(({ id }) => id)
  await cutOffDevices(transaction, ids)
}

/** Throws CONFLICT if another device has the hardware ID. The failed statement aborts the transaction. */
export const writeDevice = (transaction: Database, accountId: string, device: LockedDevice): Promise<void> =>
  rejectDuplicateHardwareId(device.hardwareId, async () => {
    await updateDeviceRow(transaction, accountId, device)
  })

/** The maximum number of devices that one step deletes. A step holds the contents of all its devices in memory. */
const DELETED_AT_ONCE = 50

async function deleteLocked(
  transaction: Database,
  context: Pick<Context, 'viewer'>,
  devices: readonly (LockedDevice & { eventId?: string })[],
): Promise<void> {
  const { accountId } = context.viewer
  const ids = devices.map(({ id }) => id)
  const deleted = await selectDeletedContents(transaction, accountId, ids)
  await deleteOverridesOfDevices(transaction, accountId, ids)
  await deleteDeviceRows(transaction, accountId, ids)
  await recordEvents(
    transaction,
    context,
    devices.map((device) => {
      const { contents = null, previous } = deleted.get(device.id) ?? {}
      return {
        ...(device.eventId !== undefined && { id: device.eventId }),
        type: 'DEVICE_DELETE',
        deviceId: device.id,
        targets: [target(device)],
        data: { ...valuesOf(device), ...(contents ?? { omitted: true }) },
        previous,
      }
    }),
  )
}

/** Throws NOT_FOUND if the account has no such device, or if the viewer cannot reach it. */
export async function getDeviceLocked(
  transaction: Database,
  { viewer }: Pick<Context, 'viewer'>,
  deviceId: string,
): Promise<LockedDevice> {
  const id = readDeviceId(deviceId)
  const device = await lockDevice(transaction, viewer.accountId, { id, inside: insideOf(viewer) })
  if (device === undefined) throw notFound('device', deviceId)
  return device
}

function readDeviceId(deviceId: string): string {
  const id = parseId(deviceId)
  if (id === undefined) throw notFound('device', deviceId)
  return id
}

const fieldNames = Object.keys(deviceFields) as FieldName[]

const unset = { ...Object.fromEntries(fieldNames.map((name) => [name, null])), name: '' } as DeviceFields

export const valuesOf = (device: DeviceFields): Record<string, string | null> =>
  Object.fromEntries(fieldNames.map((name) => [name, device[name]]))

export function assertDeviceFields(change: DeviceChange): void {
  for (const name of fieldNames) {
    const value = change[name]
    if (value != null) assertName(value, name, deviceFields[name].maxLength)
  }
}

export function newServices(inputs: readonly ServiceInput[]) {
  assertFewServices(inputs.length)
  return inputs.map((input, index) => newService(input, `services[${index}].`))
}

function changed(device: LockedDevice, change: DeviceChange): LockedDevice {
  const given = fieldNames.filter((name) => change[name] !== undefined)
  const values = Object.fromEntries(given.map((name) => [name, change[name]]))
  return { ...device, ...values, name: change.name ?? device.name }
}

async function assertNoneActive(transaction: Database, accountId: string, ids: readonly string[]): Promise<void> {
  const states = await lockStates(transaction, accountId, ids)
  const active = ids.find((id) => states.get(id) === 'active')
  if (active !== undefined) throw new ApiError('CONFLICT', `device ${active} is active: pass force to delete it anyway`)
}

async function rejectDuplicateHardwareId(hardwareId: string | null, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isUniqueViolation(error, 'device_hardware_id')) throw error
    throw new ApiError('CONFLICT', `hardwareId ${JSON.stringify(hardwareId)} is in use by another of your devices`)
  }
}

const target = ({ id, name }: LockedDevice) => ({ id, name, kind: 'device' as const })
