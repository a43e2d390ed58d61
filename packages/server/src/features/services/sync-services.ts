import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { badInput } from '../../errors.ts'
import { getDeviceLocked } from '../devices/changes/device-changes.ts'
import { fieldChanges, type NewEvent, recordEvents } from '../events/record.ts'
import { assertServiceFields, newService, type ServiceInput } from './new-service.ts'
import { deleteServiceRow, insertService, updateServiceRow } from './service-changes.queries.ts'
import { withChange } from './service-changes.ts'
import { assertFewServices, fieldsOfService, subjectsOf } from './services-of-many-devices.ts'
import { type DeviceServiceRow, lockServicesOfDevice, markAddedByDevice } from './sync-services.queries.ts'

/** If the service exists, omitted fields stay unchanged, and null clears `host` or `port`. */
export type DeviceServiceInput = ServiceInput

type Acting = Pick<Context, 'db' | 'viewer'>

/**
 * Updates a device's services to match the list, in which each name identifies a service. Adds and updates the listed
 * services. Removes services that the device added but no longer lists, and keeps unlisted services that the owner
 * added. Returns the listed services in the order of `inputs`.
 */
export async function syncServices(
  context: Acting,
  deviceId: string,
  inputs: readonly DeviceServiceInput[],
): Promise<{ id: string; name: string }[]> {
  assertInputs(inputs)
  return context.db.transaction().execute(async (transaction) => {
    const device = await getDeviceLocked(transaction, context, deviceId)
    const present = await lockServicesOfDevice(transaction, context.viewer.accountId, device.id)
    const byName = new Map(present.toReversed().map((service) => [service.name, service]))
    const listedIds = inputs.flatMap(({ name }) => byName.get(name)?.id ?? [])
    const unlisted = present.filter((service) => service.addedByDevice && !listedIds.includes(service.id))
    assertFewServices(present.length - unlisted.length + inputs.length - listedIds.length)

    const events: NewEvent[] = []
    const step = { transaction, accountId: context.viewer.accountId, device, events }
    for (const service of unlisted) await remove(step, service)
    const listed: { id: string; name: string }[] = []
    for (const input of inputs) {
      const existing = byName.get(input.name)
      const id = existing === undefined ? await add(step, input) : await update(step, existing, input)
      listed.push({ id, name: input.name })
    }
    await recordEvents(transaction, context, events)
    return listed
  })
}

function assertInputs(inputs: readonly DeviceServiceInput[]): void {
  const names = new Set<string>()
  for (const [index, input] of inputs.entries()) {
    assertServiceFields(input, `services[${index}].`)
    if (names.has(input.name))
      throw badInput(`services[${index}].name: ${JSON.stringify(input.name)} appears twice, but names must be unique`)
    names.add(input.name)
  }
}

interface Step {
  transaction: Database
  accountId: string
  device: { id: string; name: string }
  events: NewEvent[]
}

async function add({ transaction, accountId, device, events }: Step, input: DeviceServiceInput): Promise<string> {
  const { id, ...fields } = newService(input, '')
  await insertService(transaction, accountId, { ...fields, id, deviceId: device.id })
  await markAddedByDevice(transaction, accountId, id)
  events.push({ type: 'SERVICE_ADD', ...subjectsOf({ id, name: fields.name, device }), data: fields })
  return id
}

async function update(
  { transaction, accountId, device, events }: Step,
  existing: DeviceServiceRow,
  input: DeviceServiceInput,
): Promise<string> {
  const after = withChange(existing, input)
  const changes = fieldChanges(fieldsOfService(existing), fieldsOfService(after))
  if (changes === undefined) return existing.id
  await updateServiceRow(transaction, accountId, after)
  events.push({ type: 'SERVICE_UPDATE', ...subjectsOf({ ...existing, device }), data: { changes } })
  return existing.id
}

async function remove({ transaction, accountId, device, events }: Step, service: DeviceServiceRow): Promise<void> {
  const previous = await deleteServiceRow(transaction, accountId, service.id)
  const data = fieldsOfService(service)
  events.push({ type: 'SERVICE_REMOVE', ...subjectsOf({ ...service, device }), data, previous })
}
