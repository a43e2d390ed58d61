import DataLoader from 'dataloader'
import type { Context } from '../../context.ts'
import { perRequest } from '../../graphql/per-request.ts'
import { assertReadable } from '../attributes/readable-names.ts'
import type { Device } from '../devices/device.ts'
import type { Service } from './service.ts'
import { selectServicesOfDevices } from './services.queries.ts'
import { readServiceFilter, readServiceOrder, type ServiceListArguments } from './services-of-device-arguments.ts'

export interface ServicesWanted extends ServiceListArguments {
  attributes: boolean
}

const loadersOf = perRequest((_context: Context) => new Map<string, DataLoader<Device, Service[]>>())

/** Loads the services of one device. One statement reads the services of all devices on a page. */
export function loadServicesOfDevice(context: Context, device: Device, selection: ServicesWanted): Promise<Service[]> {
  const loaders = loadersOf(context)
  const key = JSON.stringify(selection)
  let loader = loaders.get(key)
  if (loader === undefined) {
    loader = new DataLoader((devices) => readServices(context, devices, selection), {
      cache: false,
      maxBatchSize: 10_000,
    })
    loaders.set(key, loader)
  }
  return loader.load(device)
}

async function readServices(
  context: Context,
  devices: readonly Device[],
  selection: ServicesWanted,
): Promise<Service[][]> {
  const filter = readServiceFilter(selection)
  const order = readServiceOrder(selection.sort)
  if (typeof order.by !== 'string') assertReadable(context.viewer, order.by)
  // A document can select the same device twice, but the statement must read it once.
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
