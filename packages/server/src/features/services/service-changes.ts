import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { badInput, notFound } from '../../errors.ts'
import { insideOf } from '../../restriction.ts'
import { getDeviceLocked, updateDevice } from '../devices/changes/device-changes.ts'
import { parseId } from '../devices/device-id.ts'
import { hasDevice } from '../devices/devices.ts'
import { fieldChanges, recordEvents } from '../events/record.ts'
import { createOnceInTransaction } from '../idempotency/record-created.ts'
import { assertMayChangeServices } from '../restrictions/assert-may-change.ts'
import { assertServiceFields, newService, type ServiceFields, type ServiceInput } from './new-service.ts'
import {
  countServices,
  deleteServiceRow,
  insertService,
  type LockedService,
  lockService,
  updateServiceRow,
} from './service-changes.queries.ts'
import { assertFewServices, fieldsOfService, subjectsOf } from './services-of-many-devices.ts'

export async function addService(context: Context, deviceId: string, input: ServiceInput): Promise<string> {
  assertMayChangeServices(context.viewer)
  const service = newService(input, '')
  const create = async (transaction: Database): Promise<void> => {
    const device = await getDeviceLocked(transaction, context, deviceId)
    assertFewServices((await countServices(transaction, context.viewer.accountId, device.id)) + 1)
    const added = { ...service, deviceId: device.id, deviceName: device.name }
    await insertService(transaction, context.viewer.accountId, added)
    const data = fieldsOfService(added)
    await recordEvents(transaction, context, [{ type: 'SERVICE_ADD', ...subjectsOfLocked(added), data }])
  }
  await createOnceInTransaction(context, create, () => ({ kind: 'service', id: service.id }))
  return service.id
}

export interface ServiceChange extends Omit<ServiceInput, 'name'> {
  name?: string | null | undefined
}

/**
 * Updates a service and returns its stored ID. Null clears `host` or `port`. A bulk service can only be renamed, which
 * renames its device.
 */
export async function updateService(context: Context, serviceId: string, change: ServiceChange): Promise<string> {
  assertServiceFields(change as Partial<ServiceInput>, '')
  const found = await context.db.transaction().execute(async (transaction) => {
    const before = await findServiceLocked(transaction, context, serviceId)
    if (before === undefined) return false
    const after = withChange(before, change)
    const changes = fieldChanges(fieldsOfService(before), fieldsOfService(after))
    if (changes === undefined) return true
    assertMayChangeServices(context.viewer)
    await updateServiceRow(transaction, context.viewer.accountId, after)
    await recordEvents(transaction, context, [
      { type: 'SERVICE_UPDATE', ...subjectsOfLocked(after), data: { changes } },
    ])
    return true
  })
  if (!found) await renameBulkService(context, serviceId, change)
  return serviceId.toLowerCase()
}

export async function removeService(context: Context, serviceId: string): Promise<void> {
  const found = await context.db.transaction().execute(async (transaction) => {
    const service = await findServiceLocked(transaction, context, serviceId)
    if (service === undefined) return false
    assertMayChangeServices(context.viewer)
    const previous = await deleteServiceRow(transaction, context.viewer.accountId, service.id)
    const data = fieldsOfService(service)
    await recordEvents(transaction, context, [{ type: 'SERVICE_REMOVE', ...subjectsOfLocked(service), data, previous }])
    return true
  })
  if (found) return
  await assertNotBulkService(context, serviceId, 'cannot be removed: delete the device with deleteDevice instead')
  throw notFound('service', serviceId)
}

async function findServiceLocked(
  transaction: Database,
  { viewer }: Context,
  serviceId: string,
): Promise<LockedService | undefined> {
  const id = parseId(serviceId)
  return id === undefined
    ? undefined
    : await lockService(transaction, viewer.accountId, { id, inside: insideOf(viewer) })
}

async function renameBulkService(
  context: Context,
  serviceId: string,
  { name, application, host, port, enabled }: ServiceChange,
): Promise<void> {
  // For host and port, null is a change, because it clears the field. For application and enabled, null leaves the
  // field unchanged.
  if (application != null || enabled != null || host !== undefined || port !== undefined) {
    await assertNotBulkService(context, serviceId, 'can only be renamed: pass only id and name')
  }
  if (!(await hasDevice(context, serviceId))) throw notFound('service', serviceId)
  if (name != null) await updateDevice(context, serviceId, { name })
}

async function assertNotBulkService(context: Context, serviceId: string, why: string): Promise<void> {
  if (await hasDevice(context, serviceId)) throw badInput(`${serviceId} is a device's bulk service, which ${why}`)
}

export function withChange<Fields extends ServiceFields>(
  service: Fields,
  { name, application, host, port, enabled }: ServiceChange,
): Fields {
  return {
    ...service,
    name: name ?? service.name,
    application: application ?? service.application,
    host: host === undefined ? service.host : host,
    port: port === undefined ? service.port : port,
    enabled: enabled ?? service.enabled,
  }
}

const subjectsOfLocked = ({ id, name, deviceId, deviceName }: LockedService): ReturnType<typeof subjectsOf> =>
  subjectsOf({ id, name, device: { id: deviceId, name: deviceName } })
