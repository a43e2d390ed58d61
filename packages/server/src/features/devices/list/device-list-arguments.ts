import { type Page, type PageArguments, readPage } from '../../../graphql/lists/paging.ts'
import { parseContext } from '../../attributes/attribute-name.ts'
import { type DeviceFilter, type DeviceFilterArguments, readDeviceFilter } from './device-filter.ts'
import { type DeviceOrder, readDeviceOrder, readDeviceOrders } from './device-sort.ts'

export interface DeviceListArguments extends PageArguments, DeviceFilterArguments {
  sort?: string | null | undefined
  /** If set, `sort` is ignored. */
  sortBy?: readonly string[] | null | undefined
  context?: string | null | undefined
}

export interface DeviceListRequest {
  filter: DeviceFilter
  order: DeviceOrder
  page: Page
}

export function readDeviceListArguments(args: DeviceListArguments, firstRecord: 0 | 1): DeviceListRequest {
  const context = parseContext(args.context, 'context')
  const order = args.sortBy == null ? readDeviceOrder(args.sort, context) : readDeviceOrders(args.sortBy, context)
  const filter = readDeviceFilter(args, context)
  return { filter, order, page: readPage(args, { order: order.text, firstRecord }) }
}
