import { isDeepStrictEqual } from 'node:util'
import { pairByContent } from '@muster/fleet-csv/import/pair-by-content'
import type { Database } from '../../../db/database.ts'
import { badInput } from '../../../errors.ts'
import { insideOf } from '../../../restriction.ts'
import { newTarget } from '../../attributes/target.ts'
import { newId } from '../../devices/device-id.ts'
import { fieldChanges } from '../../events/record.ts'
import { assertServiceFields, newService, type ServiceFields, type ServiceInput } from '../../services/new-service.ts'
import { assertFewServices, fieldsOfService } from '../../services/services-of-many-devices.ts'
import type { BulkOperation, DeviceChanges, ServiceUpdate } from '../bulk-job.ts'
import { selectMatchingServices } from '../matching-services.queries.ts'
import type { JobCaller } from '../run/starter.ts'
import type { BulkDevice, BulkService, ServiceMatches } from './read-bulk-devices.ts'
import { serviceFilterOf } from './service-filters.ts'

export async function findServiceMatches(
  db: Database,
  accountId: string,
  {
    operations,
    ids,
    now,
    caller,
  }: { operations: readonly BulkOperation[]; ids: readonly string[]; now: Date; caller: JobCaller },
): Promise<ServiceMatches> {
  const matches = new Map<BulkOperation, Set<string>>()
  for (const operation of operations) {
    const filter = serviceFilterOf(operation, caller)
    if (filter === undefined) continue
    const found = await selectMatchingServices(db, accountId, { filter, ids, now, inside: insideOf(caller) })
    matches.set(operation, new Set(found))
  }
  return matches
}

export function addService({ id, fields, services }: BulkDevice, input: ServiceInput): void {
  services.push(addedService(newService(input, ''), { id, name: fields.name! }))
  assertFewServices(presentServices(services).length)
}

function addedService(
  { id, ...fields }: ServiceFields & { id: string },
  device: { id: string; name: string },
): BulkService {
  const target = newTarget({ kind: 'service', id, name: fields.name, device }, {}, {})
  return { id, before: undefined, fields, target }
}

const presentServices = (services: readonly BulkService[]): BulkService[] =>
  services.filter(({ fields }) => fields !== undefined)

/** Returns the services that match the operation's filter, except services that an earlier operation removed. */
export const matchingServices = (device: BulkDevice, operation: BulkOperation): BulkService[] =>
  presentServices(device.services).filter(({ id }) => device.matches.get(operation)?.has(id) === true)

export function removeServices(device: BulkDevice, operation: BulkOperation): void {
  for (const service of matchingServices(device, operation)) service.fields = undefined
}

/**
 * Adds and changes services in memory so that the device has the services of a row. Keeps all other services. Throws if
 * a service is invalid, or if the device would have too many services. Also throws if it is ambiguous which of several
 * services with the same name to change.
 */
export function setServices(device: BulkDevice, wanted: readonly ServiceFields[]): void {
  const present = Map.groupBy(presentServices(device.services), ({ fields }) => fields!.name)
  for (const [name, ofName] of Map.groupBy(wanted, (service) => service.name)) {
    const isSame = (one: ServiceFields, { fields }: BulkService): boolean =>
      isDeepStrictEqual(fieldsOfService(one), fields)
    const { changed, added, ambiguous } = pairByContent(ofName, present.get(name) ?? [], isSame)
    if (ambiguous.length > 0)
      throw badInput(
        `services: the row or the device has several services with the name ${JSON.stringify(name)}. Give each of them a different name`,
      )
    for (const service of [...added, ...changed.map(([service]) => service)]) assertServiceFields(service, 'services: ')
    for (const [service, before] of changed) before.fields = fieldsOfService(service)
    const owner = { id: device.id, name: device.fields.name! }
    device.services.push(...added.map((service) => addedService({ id: newId(), ...fieldsOfService(service) }, owner)))
  }
  assertFewServices(presentServices(device.services).length)
}

export function serviceChangesOf(services: readonly BulkService[]): DeviceChanges {
  const addService = services.flatMap(({ id, before, fields }) =>
    before === undefined && fields !== undefined ? [{ id, ...fields }] : [],
  )
  const removeService = services.flatMap(({ before, fields }) =>
    before !== undefined && fields === undefined ? [before] : [],
  )
  const updateService = services.flatMap(({ id, before, fields }) => {
    if (before === undefined || fields === undefined) return []
    const changes = fieldChanges(fieldsOfService(before), fieldsOfService(fields))
    return changes === undefined ? [] : [{ id, name: before.name, changes: changes as ServiceUpdate['changes'] }]
  })
  return {
    ...(addService.length > 0 && { addService }),
    ...(updateService.length > 0 && { updateService }),
    ...(removeService.length > 0 && { removeService }),
  }
}
