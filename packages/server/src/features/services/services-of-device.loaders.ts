import type { Context } from '../../context.ts'
import { loaderByArguments } from '../../graphql/loaders.ts'
import { assertReadable } from '../attributes/attribute-access.ts'
import type { Device } from '../devices/device.ts'
import type { Service } from './service.ts'
import { selectServicesOfDevices } from './services.queries.ts'
import { readServiceFilter, readServiceOrder, type ServiceListArguments } from './services-of-device-arguments.ts'

export interface ServicesWanted extends ServiceListArguments {
  attributes: boolean
}

/** Loads the services of a device. One statement reads the services of all devices on a page. */
export const loadServicesOfDevice = loaderByArguments(readServices, { maxBatchSize: 10_000 })

async function readServices(
  context: Context,
  selection: ServicesWanted,
  devices: readonly Device[],
): Promise<Service[][]> {
  const filter = readServiceFilter(selection)
  const order = readServiceOrder(selection.sort)
  if (typeof order.by !== 'string') assertReadable(context.viewer, order.by)
  // A document can select the same device twice, but the statement must read it only once.
  const distinct = [...new Map(devices.map((device) => [device.id, device])).values()]
  const found = await selectServicesOfDevices(context.db, context.viewer.accountId, {
    devices: distinct,
    filter,
    order,
    attributes: selection.attributes,
  })
  for (const [index, device] of distinct.entries()) for (const service of found[index]!) service.device = device
  if (distinct.length === devices.length) return found
  const byId = new Map(distinct.map(({ id }, index) => [id, found[index]!]))
  return devices.map(({ id }) => byId.get(id)!)
}
