import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { insideOf } from '../../restriction.ts'
import type { Device } from '../devices/device.ts'
import { findDevices } from '../devices/devices.ts'
import { readIds } from '../devices/list/device-filter.ts'
import { BULK_SERVICE } from './application-types.ts'
import type { Service, ServiceName } from './service.ts'
import { selectServiceNames, selectServices, selectServicesOfDevices } from './services.queries.ts'
import { readServiceOrder } from './services-of-device-arguments.ts'

/**
 * Returns the viewer's services with these IDs, without duplicates, in the requested order. For a device ID, returns
 * the device's bulk service. Omits unknown IDs and services that the viewer cannot reach. Throws LIMIT_EXCEEDED if
 * there are too many IDs.
 */
export async function findServices(
  context: Context,
  serviceIds: readonly string[],
  { attributes }: { attributes: boolean } = { attributes: true },
): Promise<Service[]> {
  const ids = readIds(serviceIds, 'id')
  const [services, devices] = await Promise.all([
    selectServices(context.db, context.viewer.accountId, { ids, attributes, inside: insideOf(context.viewer) }),
    findDevices(context, ids, { attributes }),
  ])
  const byId = new Map([...services, ...devices.map(bulkService)].map((service) => [service.id, service]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function bulkService(device: Device): Service {
  const { id, name, created, state, lastReported, attributes } = device
  const service: Service = {
    id,
    deviceId: id,
    name,
    application: BULK_SERVICE,
    host: null,
    port: null,
    enabled: true,
    created,
    state,
    lastReported,
    device,
  }
  if (attributes !== undefined) service.attributes = attributes
  return service
}

export const listServiceNames = (
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  deviceId: string,
): Promise<ServiceName[]> => selectServiceNames(db, viewer.accountId, deviceId)

/**
 * Returns a list of services for each device, in the order of `devices`. Each list is sorted by name and omits the bulk
 * service.
 */
export async function listServicesOfDevices(
  db: Database,
  accountId: string,
  devices: readonly Device[],
): Promise<Service[][]> {
  const selection = { devices, filter: {}, order: readServiceOrder(null), attributes: false }
  const found = await selectServicesOfDevices(db, accountId, selection)
  return found.map((services) => services.filter(({ application }) => application !== BULK_SERVICE))
}
