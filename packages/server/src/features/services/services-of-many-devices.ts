import type { Database } from '../../db/database.ts'
import { limitExceeded } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { NewEvent } from '../events/record.ts'
import type { ServiceFields } from './new-service.ts'
import {
  deleteServices,
  insertServices,
  type StoredService,
  selectStoredServices,
  updateServices,
} from './services-of-many-devices.queries.ts'

export type { StoredService }

export interface ServiceOfDevice extends ServiceFields {
  id: string
  device: { id: string; name: string }
}

/** Changes to services. Lock the rows of their devices before you apply the changes. */
export interface ServiceChanges {
  updated: readonly { after: ServiceOfDevice; changes: object }[]
  removed: readonly ServiceOfDevice[]
}

/** Returns the services of the devices, keyed by device ID. A device without services has no key in the map. */
export async function readStoredServices(
  db: Database,
  accountId: string,
  deviceIds: readonly string[],
): Promise<Map<string, StoredService[]>> {
  return Map.groupBy(await selectStoredServices(db, accountId, deviceIds), ({ deviceId }) => deviceId)
}

export function assertFewServices(count: number): void {
  if (count <= limits.servicesPerDevice) return
  throw limitExceeded(`a device can have at most ${limits.servicesPerDevice} services, found ${count}`)
}

/** Inserts services. Returns the events of the additions, which the caller must record. */
export async function addServices(
  db: Database,
  accountId: string,
  added: readonly ServiceOfDevice[],
): Promise<NewEvent[]> {
  if (added.length === 0) return []
  await insertServices(
    db,
    accountId,
    added.map(({ device, ...service }) => ({ ...service, deviceId: device.id })),
  )
  return added.map((service) => ({ type: 'SERVICE_ADD', ...subjectsOf(service), data: fieldsOfService(service) }))
}

/** Updates and deletes services. Returns the events of the changes, which the caller must record. */
export async function changeServices(
  db: Database,
  accountId: string,
  { updated, removed }: ServiceChanges,
): Promise<NewEvent[]> {
  if (updated.length > 0)
    await updateServices(
      db,
      accountId,
      updated.map(({ after: { device: _device, ...service } }) => service),
    )
  const ids = removed.map(({ id }) => id)
  const previous = new Map(
    ids.length === 0 ? [] : (await deleteServices(db, accountId, ids)).map((row) => [row.id, row.removed]),
  )
  return [
    ...updated.map(
      ({ after, changes }): NewEvent => ({ type: 'SERVICE_UPDATE', ...subjectsOf(after), data: { changes } }),
    ),
    ...removed.map((service): NewEvent => {
      const found = previous.get(service.id)
      const isSmall = found !== undefined && Buffer.byteLength(JSON.stringify(found)) <= limits.deletedBytes
      const data = fieldsOfService(service)
      return { type: 'SERVICE_REMOVE', ...subjectsOf(service), data, previous: isSmall ? found : undefined }
    }),
  ]
}

export function fieldsOfService({ name, application, host, port, enabled }: ServiceFields) {
  return { name, application, host, port, enabled }
}

/** Returns the fields of a service's event that identify the service and its device. */
export const subjectsOf = ({
  id,
  name,
  device,
}: Pick<ServiceOfDevice, 'id' | 'name' | 'device'>): Pick<NewEvent, 'deviceId' | 'targets'> => ({
  deviceId: device.id,
  targets: [
    { id, name, kind: 'service' },
    { id: device.id, name: device.name, kind: 'device' },
  ],
})
