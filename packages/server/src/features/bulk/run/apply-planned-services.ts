import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../../db/database.ts'
import { newTarget } from '../../attributes/target.ts'
import type { NewEvent } from '../../events/record.ts'
import {
  addServices,
  assertFewServices,
  changeServices,
  fieldsOfService,
  readStoredServices,
  type ServiceOfDevice,
} from '../../services/services-of-many-devices.ts'
import type { DeviceChanges } from '../bulk-job.ts'
import { concernsServices } from '../preview/plan-undo.ts'
import { type BulkService, toBulkService } from '../preview/read-bulk-devices.ts'
import type { PendingItem } from './pending.queries.ts'

/** Returns the IDs of the services to lock. Some may not exist: a service may have been removed or not yet added. */
export const servicesToLock = ({ setAttributes = [], updateService = [], removeService = [] }: DeviceChanges) =>
  [...setAttributes.flatMap(({ service }) => service ?? []), ...updateService, ...removeService].map(({ id }) => id)

export async function readServices(
  db: Database,
  accountId: string,
  items: readonly PendingItem[],
): Promise<(device: { id: string; name: string }) => BulkService[]> {
  const ids = items.filter(({ changes }) => concernsServices(changes)).map(({ id }) => id)
  const stored = ids.length === 0 ? undefined : await readStoredServices(db, accountId, ids)
  return ({ id, name }) => (stored?.get(id) ?? []).map((service) => toBulkService(service, { id, name }))
}

/**
 * Returns false if a service to update or remove no longer exists, or if a value that would change differs from the
 * preview. With `isCsv`, also returns false if a service to add already exists, because a row adds only services that
 * the device lacks.
 */
export function hasOldServices(
  { addService = [], updateService = [], removeService = [] }: DeviceChanges,
  services: readonly BulkService[],
  { isCsv }: { isCsv: boolean },
): boolean {
  const present = new Map(services.map((service) => [service.id, service]))
  const hasOldFields = updateService.every(({ id, changes }) => {
    const fields = present.get(id)?.fields
    return (
      fields !== undefined &&
      Object.entries(changes).every(([name, { old }]) => fields[name as keyof typeof fields] === old)
    )
  })
  const isUnchanged = removeService.every((removed) => isDeepStrictEqual(present.get(removed.id)?.before, removed))
  const isNew = !isCsv || addService.every((added) => !services.some(({ fields }) => isEqual(fields, added)))
  return hasOldFields && isUnchanged && isNew
}

const isEqual = (fields: BulkService['fields'], added: NonNullable<DeviceChanges['addService']>[number]): boolean =>
  isDeepStrictEqual(fields, fieldsOfService(added))

export interface DeviceWithServices {
  changes: DeviceChanges
  device: { id: string; name: string }
  services: BulkService[]
  lockedAt: Date | undefined
}

export function assertServicesFit({ changes: { addService = [], removeService = [] }, services }: DeviceWithServices) {
  if (addService.length > 0) assertFewServices(services.length + addService.length - removeService.length)
}

/**
 * Inserts the services in `changes.addService`, and appends them to the `services` of their device. Returns the events
 * of the inserted services.
 */
export async function insertNewServices(
  db: Database,
  accountId: string,
  devices: readonly DeviceWithServices[],
): Promise<NewEvent[]> {
  const added: ServiceOfDevice[] = []
  for (const { changes, device, services, lockedAt } of devices) {
    for (const { id, ...fields } of changes.addService ?? []) {
      const target = newTarget({ kind: 'service', id, name: fields.name, device }, {}, {}, { lockedAt })
      services.push({ id, before: undefined, fields: fieldsOfService(fields), target })
      added.push({ id, ...fieldsOfService(fields), device })
    }
  }
  return addServices(db, accountId, added)
}

export function writeServices(
  db: Database,
  accountId: string,
  devices: readonly DeviceWithServices[],
): Promise<NewEvent[]> {
  const updated = devices.flatMap(({ changes, device, services }) =>
    (changes.updateService ?? []).map(({ id, changes: ofService }) => {
      const { fields } = services.find((service) => service.id === id)!
      const values = Object.fromEntries(Object.entries(ofService).map(([name, change]) => [name, change.new]))
      return { after: { ...fields!, ...values, id, device }, changes: ofService }
    }),
  )
  const removed = devices.flatMap(({ changes, device }) =>
    (changes.removeService ?? []).map(({ id, ...fields }) => ({ id, ...fieldsOfService(fields), device })),
  )
  return changeServices(db, accountId, { updated, removed })
}
