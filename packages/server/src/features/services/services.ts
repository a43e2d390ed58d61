import type { Context } from '../../context.ts'
import type { Device } from '../devices/device.ts'
import { findDevices } from '../devices/devices.ts'
import { readIds } from '../devices/list/device-filter.ts'
import { BULK_SERVICE } from './application-types.ts'
import type { Service } from './service.ts'
import { selectServices } from './services.queries.ts'

/**
 * The viewer's services with these ids, in the requested order, each once. A device's id returns its bulk service. Unknown ids
 * are omitted.
 */
export async function findServices(
  context: Context,
  serviceIds: readonly string[],
  { attributes }: { attributes: boolean } = { attributes: true },
): Promise<Service[]> {
  const ids = readIds(serviceIds, 'id')
  const [services, devices] = await Promise.all([
    selectServices(context.db, context.viewer.accountId, { ids, attributes }),
    findDevices(context, ids, { attributes }),
  ])
  const byId = new Map([...services, ...devices.map(bulkService)].map((service) => [service.id, service]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The device itself as a service. */
export function bulkService(device: Device): Service {
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
