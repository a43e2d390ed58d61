import type { Context } from '../../../context.ts'
import type { Database } from '../../../db/database.ts'
import { isUniqueViolation } from '../../../db/database.ts'
import { ApiError, notFound } from '../../../errors.ts'
import { assertName } from '../../../lib/text.ts'
import { limits } from '../../../limits.ts'
import { initialAttributes } from '../../attributes/initial-attributes.ts'
import { sourceOf } from '../../events/event-source.ts'
import { actorOf, fieldChanges, recordEvents } from '../../events/record.ts'
import { createOnce } from '../../idempotency/create-once.ts'
import { newService, type ServiceInput } from '../../services/new-service.ts'
import { newId, parseId } from '../device-id.ts'
import { cutOffDevices } from './cut-off.queries.ts'
import {
  deleteDeviceRows,
  deleteOverridesOfDevices,
  insertDevice,
  type LockedDevice,
  lockDevice,
  lockDevicesForRemoval,
  lockStates,
  updateDeviceRow,
} from './device-changes.queries.ts'
import { hashDeviceSecret, newDeviceSecret } from './device-secret.ts'

export interface DeviceInput {
  name: string
  hardwareId?: string | null | undefined
  platform?: string | null | undefined
  /** `addedByDevice`: whether the device itself added the service, which allows the device to remove it later. */
  services?: readonly (ServiceInput & { addedByDevice?: boolean })[] | null | undefined
  attributes?: Record<string, unknown> | null | undefined
}

export interface RegisteredDevice {
  id: string
  /** The secret that the device authenticates with. It is returned only on creation. */
  secret: string
  services: { id: string; name: string }[]
}

/** Adds a device with its services and attributes. `registrationCode` is the ID of the code that the device sent, if any. */
export async function registerDevice(
  context: Pick<Context, 'db' | 'viewer' | 'once'>,
  input: DeviceInput,
  registrationCode?: string,
): Promise<RegisteredDevice> {
  const { viewer } = context
  assertDeviceFields(input)
  const services = newServices(input.services ?? [])
  const { attributes, reserved } = initialAttributes(input.attributes ?? {}, 'attributes')

  const id = newId()
  const secret = newDeviceSecret()
  const { name, hardwareId = null, platform = null } = input
  const data = { name, hardwareId, platform, services, attributes: input.attributes ?? {}, registrationCode }
  const insert = (db: Database) =>
    insertDevice(db, viewer.accountId, {
      id,
      name,
      hardwareId,
      platform,
      secretHash: hashDeviceSecret(secret),
      attributes,
      reserved,
      services: services.map((service, index) => ({
        ...service,
        addedByDevice: input.services?.[index]?.addedByDevice ?? false,
      })),
      eventTargets: [{ id, name, kind: 'device' }],
      eventData: data,
      actorId: actorOf(viewer),
      source: sourceOf(viewer),
    })
  await rejectDuplicateHardwareId(hardwareId, () => createOnce(context, insert, () => ({ kind: 'device', id, secret })))
  return { id, secret, services: services.map((service) => ({ id: service.id, name: service.name })) }
}

export interface DeviceChange {
  name?: string | null | undefined
  hardwareId?: string | null | undefined
  platform?: string | null | undefined
}

/** Changes the given fields; null clears `hardwareId` or `platform`. Returns the device's stored ID. */
export async function updateDevice(context: Context, deviceId: string, change: DeviceChange): Promise<string> {
  assertDeviceFields(change)
  await rejectDuplicateHardwareId(change.hardwareId ?? null, () =>
    context.db.transaction().execute(async (transaction) => {
      const before = await getDeviceLocked(transaction, context, deviceId)
      const after = changed(before, change)
      const changes = fieldChanges(before, after)
      if (changes === undefined) return
      await updateDeviceRow(transaction, context.viewer.accountId, after)
      await recordEvents(transaction, context, [
        { type: 'DEVICE_UPDATE', deviceId: after.id, targets: [target(after)], data: { changes } },
      ])
    }),
  )
  return deviceId.toLowerCase()
}

/** Deletes all of these devices with their services and attributes, or none. Without `force`, rejects active devices. */
export async function deleteDevices(context: Context, deviceIds: readonly string[], force: boolean): Promise<void> {
  assertIdCount(deviceIds)
  const ids = [...new Set(deviceIds.map(readDeviceId))]
  const { accountId } = context.viewer
  await context.db.transaction().execute(async (transaction) => {
    const devices = await lockDevicesForRemoval(transaction, accountId, ids)
    assertAllFound(ids, devices)
    if (!force) await assertNoneActive(transaction, accountId, ids)
    await deleteOverridesOfDevices(transaction, accountId, ids)
    await deleteDeviceRows(transaction, accountId, ids)
    await cutOffDevices(transaction, ids)
    await recordEvents(
      transaction,
      context,
      devices.map((device) => ({
        type: 'DEVICE_DELETE',
        deviceId: device.id,
        targets: [target(device)],
        data: { name: device.name, hardwareId: device.hardwareId, platform: device.platform },
      })),
    )
  })
}

/** Locks and returns the viewer's device. Throws NOT_FOUND if the viewer has no such device. */
export async function getDeviceLocked(
  transaction: Database,
  { viewer }: Pick<Context, 'viewer'>,
  deviceId: string,
): Promise<LockedDevice> {
  const device = await lockDevice(transaction, viewer.accountId, readDeviceId(deviceId))
  if (device === undefined) throw notFound('device', deviceId)
  return device
}

function readDeviceId(deviceId: string): string {
  const id = parseId(deviceId)
  if (id === undefined) throw notFound('device', deviceId)
  return id
}

function assertDeviceFields({ name, hardwareId, platform }: DeviceChange): void {
  if (name != null) assertName(name, 'name', limits.deviceNameLength)
  if (hardwareId != null) assertName(hardwareId, 'hardwareId', limits.hardwareIdLength)
  if (platform != null) assertName(platform, 'platform', limits.platformLength)
}

function newServices(inputs: readonly ServiceInput[]) {
  if (inputs.length > limits.servicesPerDevice) {
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `a device has at most ${limits.servicesPerDevice} services, found ${inputs.length}`,
    )
  }
  return inputs.map((input, index) => newService(input, `services[${index}].`))
}

function changed(device: LockedDevice, { name, hardwareId, platform }: DeviceChange): LockedDevice {
  return {
    id: device.id,
    name: name ?? device.name,
    hardwareId: hardwareId === undefined ? device.hardwareId : hardwareId,
    platform: platform === undefined ? device.platform : platform,
  }
}

function assertIdCount(ids: readonly string[]): void {
  if (ids.length > limits.idsPerList) {
    throw new ApiError('LIMIT_EXCEEDED', `deviceId accepts at most ${limits.idsPerList} IDs, found ${ids.length}`)
  }
}

function assertAllFound(ids: readonly string[], devices: readonly LockedDevice[]): void {
  const found = new Set(devices.map(({ id }) => id))
  const missing = ids.find((id) => !found.has(id))
  if (missing !== undefined) throw notFound('device', missing)
}

async function assertNoneActive(transaction: Database, accountId: string, ids: readonly string[]): Promise<void> {
  const states = await lockStates(transaction, accountId, ids)
  const active = ids.find((id) => states.get(id) === 'active')
  if (active !== undefined)
    throw new ApiError('CONFLICT', `device ${active} is active: pass force: true to delete it anyway`)
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
