import { type Page, type PageArguments, readPage } from '../../../graphql/lists/paging.ts'
import { parseContext } from '../../attributes/attribute-name.ts'
import { type DeviceFilter, type DeviceFilterArguments, readDeviceFilter } from './device-filter.ts'
import { type DeviceOrder, readDeviceOrder, readDeviceOrders } from './device-sort.ts'

export interface DeviceListArguments extends PageArguments, DeviceFilterArguments {
  sort?: string | null | undefined
  /** Several sort keys, each in the format of `sort`. If set, `sort` is ignored. */
  sortBy?: readonly string[] | null | undefined
  /** The context in which the filter and the sort read attributes. */
  context?: string | null | undefined
}

export interface DeviceListRequest {
  filter: DeviceFilter
  order: DeviceOrder
  page: Page
}

/** Parses the arguments of `devices`. Throws an `ApiError` if any argument is invalid. */
export function readDeviceListArguments(args: DeviceListArguments, firstRecord: 0 | 1): DeviceListRequest {
  const context = parseContext(args.context, 'context')
  const order = args.sortBy == null ? readDeviceOrder(args.sort, context) : readDeviceOrders(args.sortBy, context)
  const filter = readDeviceFilter(args, context)
  return { filter, order, page: readPage(args, { order: order.text, firstRecord }) }
}
